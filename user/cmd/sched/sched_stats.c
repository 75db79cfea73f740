// SPDX-License-Identifier: GPL-2.0
/* ktrace sched stats: the scheduler's own statistics, recorded, shown and compared. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/sched/sched.h"
#include "cmd/table_options.h"
#include "lib/bytes.h"
#include "lib/cpumap.h"
#include "lib/error.h"
#include "lib/file.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "output/rendering.h"
#include "perfdata/feature_string.h"
#include "perfdata/write/writer.h"
#include "record/body.h"
#include "recorder/workload.h"
#include "table/sched/sched_stats.h"
#include "table/sched/sched_stats_text.h"

/* Records two readings of /proc/schedstat, as perf 7 does. */
struct schedstat_recording {
	const char *path;		/* of the recording */
	const char *before, *after;	/* copies of /proc/schedstat; NULL: read the file itself */
	int line_argc;			/* the whole command line, for the header */
	char **line_argv;
	int argc;
	char **argv;			/* the command that runs meanwhile; argc 0: until ^C */
};

#define SCHEDSTAT_PATH		"/proc/schedstat"
#define SCHEDSTAT_SWITCH	"/proc/sys/kernel/sched_schedstats"

/* One reading, as records, and its description of domains. */
struct schedstat_reading {
	const char *path;
	struct strbuf records, domains;
	unsigned int version, line;
	uint64_t jiffies;
	uint32_t cpu, most;		/* the CPU whose lines come; the most domains of one */
	size_t nr_cpus;
	size_t count_at;		/* in domains: where the number of the CPU's domains is */
};

static struct error *schedstat_damaged(const struct schedstat_reading *r)
{
	return error_hint(error_new(EBADMSG, "%s:%u: this is not a line of /proc/schedstat",
				    r->path,
				    r->line),
			  "Versions 15 to 17 are known, which Linux 3.0 and later have");
}

static void schedstat_put(struct schedstat_reading *r, uint32_t type, const struct strbuf *body)
{
	struct perf_event_header header = { .type = type };
	size_t size = (sizeof(header) + body->len + 7) & ~7UL;

	header.size = size;
	strbuf_add(&r->records, (const char *)&header, sizeof(header));
	strbuf_add(&r->records, strbuf_str(body), body->len);
	bytes_add_zeros(&r->records, size - sizeof(header) - body->len);
}

/* Parse the next number of a line; false: there is none. */
static bool schedstat_number(char **at, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(*at, &end, 10);
	if (end == *at || errno)
		return false;
	*at = end;
	return true;
}

static struct error *schedstat_take_cpu(struct schedstat_reading *r, char *numbers)
{
	struct body_schedstat_cpu body = {
		.jiffies = r->jiffies, .cpu = r->cpu, .version = r->version,
	};
	struct strbuf view;
	uint64_t value;

	for (size_t i = 0; i < sizeof(body.counts) / sizeof(body.counts[0]); i++) {
		if (!schedstat_number(&numbers, &value))
			return schedstat_damaged(r);
		body.counts[i] = value;
	}
	for (size_t i = 0; i < sizeof(body.times) / sizeof(body.times[0]); i++)
		if (!schedstat_number(&numbers, &body.times[i]))
			return schedstat_damaged(r);
	view = (struct strbuf){ .data = (char *)&body, .len = sizeof(body) };
	schedstat_put(r, RECORD_SCHEDSTAT_CPU, &view);
	r->nr_cpus++;
	bytes_add_u32(&r->domains, r->cpu);
	r->count_at = r->domains.len;
	bytes_add_u32(&r->domains, 0);
	return NULL;
}

/* "3,00000000" as "32-33", as perf stores both. */
static struct error *schedstat_cpu_list(const struct schedstat_reading *r, const char *mask,
					struct strbuf *ret)
{
	size_t bit = 0, first = SIZE_MAX;

	for (const char *p = mask + strlen(mask); p >= mask; p--) {
		bool end = p == mask;
		unsigned int digit;

		if (p == mask + strlen(mask) || *p == ',')
			continue;
		if (sscanf((const char[]){ *p, '\0' }, "%x", &digit) != 1)
			return schedstat_damaged(r);
		for (int i = 0; i < 4; i++, bit++) {
			if (digit & 1U << i && first == SIZE_MAX)
				first = bit;
			if (first == SIZE_MAX || (digit & 1U << i && !(end && i == 3)))
				continue;
			strbuf_addf(ret, "%s%zu", ret->len ? "," : "", first);
			if ((digit & 1U << i ? bit : bit - 1) > first)
				strbuf_addf(ret, "-%zu", digit & 1U << i ? bit : bit - 1);
			first = SIZE_MAX;
		}
	}
	return NULL;
}

static struct error *schedstat_take_domain(struct schedstat_reading *r, uint32_t number, char *rest)
{
	struct body_schedstat_domain head = {
		.jiffies = r->jiffies, .cpu = r->cpu, .version = r->version, .domain = number,
	};
	_cleanup_(strbuf) struct strbuf body = STRBUF_INIT, list = STRBUF_INIT;
	const char *name = r->version >= 17 ? strtok_r(NULL, " ", &rest) : NULL;
	const char *mask = strtok_r(NULL, " ", &rest);
	struct error *err;
	uint64_t value, nr = 0;
	uint32_t count;

	if (!mask || !r->nr_cpus || (r->version >= 17 && !name))
		return schedstat_damaged(r);
	err = schedstat_cpu_list(r, mask, &list);
	if (err)
		return err;
	strbuf_add(&body, (const char *)&head, sizeof(head));
	for (; schedstat_number(&rest, &value); nr++)
		bytes_add_u32(&body, value);
	if (nr != (r->version >= 17 ? BODY_SCHEDSTAT_COUNTS : 36))
		return schedstat_damaged(r);
	schedstat_put(r, RECORD_SCHEDSTAT_DOMAIN, &body);
	bytes_add_u32(&r->domains, number);
	if (name)
		feature_add_string(&r->domains, name);
	feature_add_string(&r->domains, mask);
	feature_add_string(&r->domains, strbuf_str(&list));
	if (r->domains.failed || body.failed)
		return &error_no_memory;
	memcpy(&count, r->domains.data + r->count_at, sizeof(count));
	count++;
	memcpy(r->domains.data + r->count_at, &count, sizeof(count));
	if (count > r->most)
		r->most = count;
	return NULL;
}

static struct error *schedstat_take_line(struct schedstat_reading *r, char *line)
{
	char *rest;
	const char *word = strtok_r(line, " ", &rest);
	uint32_t number;

	if (!word)
		return NULL;
	if (!strcmp(word, "version")) {
		r->version = strtoul(rest, NULL, 10);
		return r->version < 15 || r->version > 17 ? schedstat_damaged(r) : NULL;
	}
	if (!strcmp(word, "timestamp")) {
		r->jiffies = strtoull(rest, NULL, 10);
		return NULL;
	}
	if (!r->version)
		return schedstat_damaged(r);
	if (sscanf(word, "cpu%" SCNu32, &number) == 1) {
		r->cpu = number;
		return schedstat_take_cpu(r, rest);
	}
	if (sscanf(word, "domain%" SCNu32, &number) == 1)
		return schedstat_take_domain(r, number, rest);
	return schedstat_damaged(r);
}

static struct error *schedstat_read(const char *copy, struct schedstat_reading *ret)
{
	_cleanup_free_ char *text = NULL;
	struct error *err;
	char *rest, *line;

	ret->path = copy ? copy : SCHEDSTAT_PATH;
	err = file_read_text(ret->path, &text);
	if (err)
		return copy ? err : error_hint(err, "Kernels with CONFIG_SCHEDSTATS=y have it; "
					       "--before and --after read copies of the file");
	rest = text;
	while (!err && (line = strsep(&rest, "\n"))) {
		ret->line++;
		err = schedstat_take_line(ret, line);
	}
	if (!err && !ret->nr_cpus)
		err = schedstat_damaged(ret);
	return !err && (ret->records.failed || ret->domains.failed) ? &error_no_memory : err;
}

static void schedstat_deinit(struct schedstat_reading *r)
{
	strbuf_deinit(&r->records);
	strbuf_deinit(&r->domains);
}

/* Have the kernel count; returns whether it did not before. */
static bool schedstat_switch_on(void)
{
	int fd = open(SCHEDSTAT_SWITCH, O_RDWR | O_CLOEXEC);
	char now = '1';
	bool off;

	if (fd < 0)
		return false;
	off = read(fd, &now, 1) == 1 && now == '0' && pwrite(fd, "1", 1, 0) == 1;
	close(fd);
	if (now == '0' && !off)
		log_warning("The kernel does not count all of it: root may write 1 to "
			    SCHEDSTAT_SWITCH ".");
	return off;
}

static void schedstat_switch_off(void)
{
	int fd = open(SCHEDSTAT_SWITCH, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "0", 1) != 1)
		log_warning("Cannot write 0 to " SCHEDSTAT_SWITCH " again.");
	if (fd >= 0)
		close(fd);
}

/* Run the command, or wait for ^C. */
static struct error *schedstat_run(const struct schedstat_recording *recording, int *ret_status)
{
	const struct workload_options options = {
		.argv = recording->argc ? recording->argv : NULL, .unblocked = true,
	};
	struct workload workload = { 0 };
	struct error *err;

	interrupt_block();
	err = workload_fork(&options, &workload);
	if (!err && recording->argc)
		err = workload_exec(&workload);
	while (!err && !interrupt_signal() && (!recording->argc || !workload_ended(&workload)))
		interrupt_poll(NULL, 0, 1000);
	workload_finish(&workload);
	interrupt_end();
	if (!err && recording->argc)
		*ret_status = workload_status(&workload);
	return err;
}

static struct error *schedstat_write(const struct schedstat_recording *recording,
				     struct schedstat_reading readings[2])
{
	_cleanup_(strbuf) struct strbuf domains = STRBUF_INIT;
	const struct ledger none = { 0 };
	struct writer_info info = {
		.version = KTRACE_VERSION, .argc = recording->line_argc,
		.argv = recording->line_argv, .clockid = -1, .sched_domains = &domains,
	};
	struct event_list events;
	struct writer *writer;
	struct error *err;

	bytes_add_u32(&domains, readings[1].version);
	bytes_add_u32(&domains, readings[1].most);
	strbuf_add(&domains, strbuf_str(&readings[1].domains), readings[1].domains.len);
	if (domains.failed)
		return &error_no_memory;
	event_list_init(&events);
	err = writer_create(recording->path, &events, &info, &writer);
	for (int i = 0; !err && i < 2; i++) {
		struct record_span span = {
			.data = readings[i].records.data, .size = readings[i].records.len,
			.cpu = UINT32_MAX,
		};

		err = record_sink_write(writer_sink(writer), &span);
		if (err)
			writer_abort(take_ptr(writer));
	}
	if (!err)
		err = writer_finish(writer, &none);
	event_list_deinit(&events);
	return err;
}

/*
 * Read, run the command, read again and write the recording.  Statistics that the kernel does not
 * count by default are enabled meanwhile.  *@ret_status is the exit status of the command.
 */
static struct error *schedstat_record(const struct schedstat_recording *recording, int *ret_status)
{
	struct schedstat_reading readings[2] = { 0 };
	bool copies = recording->before && recording->after, was_off;
	struct error *err;

	if (!recording->before != !recording->after)
		return error_new(EINVAL, "--before and --after need each other");
	if (copies && recording->argc)
		return error_hint(error_new(EINVAL, "With --before and --after, no command is run"),
				  "Leave out '%s'", recording->argv[0]);
	was_off = !copies && schedstat_switch_on();
	err = schedstat_read(recording->before, &readings[0]);
	if (!err && !copies)
		err = schedstat_run(recording, ret_status);
	if (!err)
		err = schedstat_read(recording->after, &readings[1]);
	if (was_off)
		schedstat_switch_off();
	if (!err && readings[0].version != readings[1].version)
		err = error_new(EINVAL, "%s and %s have different versions", recording->before,
				recording->after);
	if (!err)
		err = schedstat_write(recording, readings);
	schedstat_deinit(&readings[0]);
	schedstat_deinit(&readings[1]);
	return err;
}

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
