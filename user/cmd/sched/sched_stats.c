// SPDX-License-Identifier: GPL-2.0
/* ktrace sched stats: the scheduler's own statistics, recorded, shown and compared. */
#include "table/sched/sched_stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/sched/sched.h"
#include "cmd/sched/schedstat_file.h"
#include "cmd/table_options.h"
#include "output/rendering.h"
#include "table/sched/sched_stats_text.h"

struct stats_command {
	struct subcommand_input *common;
	struct selection_words words;
	struct table_output output;
	const char *cpus;
	struct cpumap wanted;
};

static struct error *stats_parse_cpus(struct stats_command *c)
{
	return c->cpus ? cpumap_parse(c->cpus, &c->wanted) : NULL;
}

/* Read a recording; @in is open afterwards, as @ret has names of its header. */
static struct error *stats_read(struct stats_command *c, const char *path, struct recording *in,
				struct sched_stats *ret)
{
	struct error *err = recording_begin(in, path, &c->words, NULL);

	if (err)
		return err;
	sched_stats_init(ret, c->cpus ? &c->wanted : NULL, reader_header(in->reader));
	err = recording_sum_up(in, &ret->consumer, &c->output);
	return err ? err : sched_stats_finish(ret);
}

static struct error *stats_show(void *data)
{
	_cleanup_(sched_stats) struct sched_stats stats = { 0 };
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct stats_command *c = data;
	struct recording in = { 0 };
	struct error *err = stats_parse_cpus(c);

	if (!err)
		err = stats_read(c, c->common->input, &in, &stats);
	if (!err) {
		sched_stats_add(&stats, log_verbosity > 0, &c->output, &text);
		err = rendering_print(stdout, &text);
	}
	recording_end(&in);
	return err;
}

static struct error *stats_compare(struct stats_command *c, const char *old, const char *new)
{
	_cleanup_(sched_stats) struct sched_stats one = { 0 }, two = { 0 };
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct recording first = { 0 }, second = { 0 };
	struct error *err = stats_read(c, old, &first, &one);

	if (!err)
		err = stats_read(c, new, &second, &two);
	if (!err)
		err = sched_stats_add_diff(&one, &two, c->cpus, log_verbosity > 0, &c->output,
					   &text);
	if (!err)
		err = rendering_print(stdout, &text);
	recording_end(&first);
	recording_end(&second);
	return err;
}

/* Rows of option tables that both readers have. */
#define STATS_READ_OPTIONS(c) \
	OPT_STRING("cpu", &(c)->cpus), \
	TABLE_FORMAT_OPTIONS(&(c)->output), \
	OPT_COUNT("verbose", &log_verbosity)

static struct error *stats_report(struct subcommand_call *call)
{
	struct stats_command c = { .common = call->data };
	const struct option_spec options[] = {
		STATS_READ_OPTIONS(&c),
		RECORDING_INPUT_OPTION(c.common->input),
		RECORDING_FORCE_OPTION(c.common->force),
		{ 0 },
	};
	struct error *err;

	call->data = &c;
	err = subcommand_do(call, options, stats_show);
	cpumap_deinit(&c.wanted);
	return err;
}

static struct error *stats_diff(struct subcommand_call *call)
{
	struct stats_command c = { .common = call->data };
	const struct option_spec options[] = { STATS_READ_OPTIONS(&c), { 0 } };
	int index, nr;
	struct error *err = subcommand_parse(call, "[OPTIONS] [OLD] [NEW]", options, &index);

	if (err || index < 0)
		return err;
	nr = call->argc - index;
	if (nr > 2)
		return error_new(EINVAL, "sched stats diff compares two recordings, not %d", nr);
	err = stats_parse_cpus(&c);
	if (!err)
		err = stats_compare(&c, nr == 2 ? call->argv[index] : RECORDING_DEFAULT ".old",
				    nr ? call->argv[index + nr - 1] : RECORDING_DEFAULT);
	cpumap_deinit(&c.wanted);
	return err;
}

static struct error *stats_take_record(struct subcommand_call *call)
{
	struct schedstat_recording recording = { .path = RECORDING_DEFAULT };
	const struct option_spec options[] = {
		OPT_STRING("output", &recording.path),
		OPT_STRING("before", &recording.before),
		OPT_STRING("after", &recording.after),
		{ 0 },
	};
	int index;
	struct error *err = subcommand_parse(call, "[OPTIONS] [--] [COMMAND [ARGS]]", options,
					     &index);

	if (err || index < 0)
		return err;
	recording.line_argc = call->argc;
	recording.line_argv = call->argv;
	recording.argc = call->argc - index;
	recording.argv = call->argv + index;
	return schedstat_record(&recording, call->ret_status);
}

const struct subcommand sched_stats_commands[] = {
	SUBCOMMAND("record", "record the scheduler's counts while a command runs",
		   stats_take_record),
	SUBCOMMAND("report", "show these counts, for each CPU and domain", stats_report),
	SUBCOMMAND("diff", "compare the counts of two recordings", stats_diff),
	{ 0 },
};

struct error *sched_stats_of(struct subcommand_call *call)
{
	struct subcommand_input *common = call->data;
	const struct option_spec options[] = {
		SUBCOMMAND_INPUT_OPTIONS(common),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "sched stats", .options = options, .commands = sched_stats_commands,
	};

	return subcommands_run(&usage, common, call->argc, call->argv, call->ret_status);
}
