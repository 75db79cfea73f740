// SPDX-License-Identifier: GPL-2.0
#include "table/timechart/timechart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/subcommand.h"
#include "lib/array.h"
#include "lib/file.h"
#include "lib/new_file.h"
#include "lib/number.h"
#include "table/timechart/io_spans.h"
#include "table/timechart/timechart_svg.h"
#include "terminal/word_list.h"

#define TIMECHART_TASKS	15	/* at least, as perf */

struct timechart_command {
	struct subcommand_input from;
	struct selection_words words;
	struct timechart_svg_options svg;
	const char *output, *highlight;
	unsigned int tasks;
	bool power_only, tasks_only, io_only, skip_again, chains;
	struct io_limits limits;
	bool limited;	/* an option for system calls was given */
	ARRAY_OF(struct timechart_word) wanted;
	struct recording in;
};


static struct error *timechart_want(void *data, const char *argument)
{
	struct timechart_command *c = data;
	const struct timechart_word word = { .text = argument };

	return array_push(&c->wanted, word) ? NULL : &error_no_memory;
}

/* As in perf, a number is a time in ns, and all other values name tasks. */
static struct error *timechart_highlight(void *data, const char *argument)
{
	struct timechart_command *c = data;
	unsigned long long ns;

	if (!parse_u64(argument, &ns))
		c->svg.marked = argument;
	else
		c->svg.marked_ns = ns;
	return NULL;
}

/* As in perf, a number with n, u or m before an optional s; without, of ns. */
static struct error *timechart_parse_time(struct timechart_command *c, const char *option,
					  const char *argument, uint64_t *ret)
{
	static const struct time_unit units[] = {
		{ "", 1 }, { "n", 1 }, { "ns", 1 }, { "u", 1000 }, { "us", 1000 },
		{ "m", 1000000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};

	c->limited = true;
	if (parse_time_unit(argument, units, ARRAY_SIZE(units), ret))
		return NULL;
	return error_new(EINVAL, "timechart --%s is a time such as 100us, 1ms or 5000, in ns, not "
			 "'%s'", option, argument);
}

static struct error *timechart_min_time(void *data, const char *argument)
{
	struct timechart_command *c = data;

	return timechart_parse_time(c, "io-min-time", argument, &c->limits.shortest);
}

static struct error *timechart_merge_dist(void *data, const char *argument)
{
	struct timechart_command *c = data;

	return timechart_parse_time(c, "io-merge-dist", argument, &c->limits.apart);
}

static struct error *timechart_check(struct timechart_command *c)
{
	if (c->io_only && (c->power_only || c->tasks_only))
		return error_hint(error_new(EINVAL, "timechart -I shows system calls alone, so that "
					    "-P and -T leave nothing to show"),
				  "Make two charts");
	if (c->power_only && c->tasks_only)
		return error_hint(error_new(EINVAL, "timechart -P and -T leave nothing to show"),
				  "Without both, the chart has CPUs, their power and tasks");
	if (c->power_only && c->wanted.nr)
		return error_new(EINVAL, "timechart -P shows no tasks, so that -p has nothing to "
				 "choose");
	if (c->svg.width < TIMECHART_WIDTH_MIN || c->svg.width > TIMECHART_WIDTH_MAX)
		return error_new(EINVAL, "timechart -w is a width from %d to %d, not %u",
				 TIMECHART_WIDTH_MIN, TIMECHART_WIDTH_MAX, c->svg.width);
	return NULL;
}

static bool timechart_is_recorded(const struct timechart_command *c)
{
	const struct event_list *events = reader_events(c->in.reader);

	if (!c->tasks_only && (event_is_recorded(events, "power", "cpu_idle") ||
			       event_is_recorded(events, "power", "cpu_frequency")))
		return true;
	return event_is_recorded(events, "sched", "sched_switch");
}

/* As in perf, a recording of system calls alone is drawn without asking for it. */
static struct error *timechart_decide(void *data)
{
	struct timechart_command *c = data;
	bool calls = syscall_states_recorded(reader_events(c->in.reader));

	if (c->io_only && !calls)
		return error_hint(error_new(ENODATA, "The recording has no system calls"),
				  "'ktrace timechart record -I' records them");
	if (c->io_only || timechart_is_recorded(c))
		return NULL;
	c->io_only = calls && !c->power_only && !c->tasks_only;
	if (c->io_only)
		return NULL;
	return error_hint(error_new(ENODATA, "The recording has no events that a chart could show"),
			  "'ktrace timechart record' records the events for 'ktrace timechart'");
}

static struct error *timechart_open(struct timechart_command *c)
{
	struct error *err;

	c->in = (struct recording){ .check = timechart_decide, .data = c };
	err = recording_begin(&c->in, c->from.input, &c->words, NULL);
	if (err)
		return err;
	c->svg.header = reader_header(c->in.reader);
	if (c->svg.by_topology && !c->svg.header->sockets.nr)
		log_warning("The sockets and cores of the recorded CPUs are unknown, so -t has no "
			    "effect.");
	return NULL;
}

/* Report names that match no task. */
static struct error *timechart_check_found(const struct timechart_command *c, const char *list)
{
	bool found = !c->wanted.nr;

	for (size_t i = 0; i < c->wanted.nr; i++)
		found |= c->wanted.items[i].found;
	if (!found)
		return error_hint(error_new(ENODATA, "The recording has no task '%s'",
					    c->wanted.items[0].text),
				  "'%s' lists its tasks", list);
	for (size_t i = 0; i < c->wanted.nr; i++)
		if (!c->wanted.items[i].found)
			log_warning("The recording has no task '%s'.", c->wanted.items[i].text);
	return NULL;
}

static struct error *timechart_choose_tasks(struct timechart_command *c, struct timechart *chart)
{
	struct error *err = timechart_choose(chart, c->wanted.items, c->wanted.nr,
					     c->power_only ? 0 : c->tasks);

	if (err || !c->tasks)
		return err;
	return timechart_check_found(c, "ktrace sched latency -p");
}

static struct error *timechart_write(const struct timechart_command *c, const struct strbuf *text)
{
	_cleanup_(new_file) struct new_file file = NEW_FILE_INIT;
	struct error *err;
	int code;

	if (!strcmp(c->output, "-")) {
		fwrite(strbuf_str(text), 1, text->len, stdout);
		return NULL;
	}
	err = new_file_create(&file, c->output);
	/* A picture is for others, too, as perf's is. */
	if (!err)
		err = new_file_share(&file);
	if (err)
		return err;
	code = fd_write_all(file.fd, text->data, text->len);
	if (code)
		return error_errno(-code, "Cannot write %s", c->output);
	return new_file_commit(&file);
}

static struct error *timechart_check_samples(const struct timechart_command *c, uint64_t end)
{
	if (end)
		return NULL;
	return error_hint(error_new(ENODATA, "The recording has no samples, so there is nothing to "
				    "draw"),
			  c->words.times ? "--time may leave none" :
			  "'ktrace timechart record' records the events for 'ktrace timechart'");
}

static void timechart_tell(const struct timechart_command *c, uint64_t ns, size_t tasks)
{
	if (strcmp(c->output, "-"))
		log_notice("%s shows %.3f seconds and %zu task%s: open it in a browser.",
			   c->output, ns / 1e9, tasks, tasks == 1 ? "" : "s");
}

static struct error *timechart_draw_io(struct timechart_command *c)
{
	const struct io_spans_svg_options options = {
		.width = c->svg.width, .recording = c->svg.recording,
		.skip_again = c->skip_again, .marked = c->svg.marked,
		.marked_ns = c->svg.marked_ns,
	};
	const struct symbol_options symbols = { 0 };
	_cleanup_(io_spans) struct io_spans *spans = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = io_spans_create(c->svg.header->arch, &c->limits, &spans);

	/* The maps show which tasks have 32-bit programs. */
	if (!err)
		err = recording_machine(c->in.reader, &symbols, &c->in.machine);
	if (!err)
		err = recording_run(c->in.reader, c->in.machine, &c->in.selection,
				    &spans->consumer, false, NULL);
	if (!err)
		err = timechart_check_samples(c, spans->end);
	if (!err)
		err = io_spans_choose(spans, c->wanted.items, c->wanted.nr, c->tasks);
	if (!err)
		err = timechart_check_found(c, "ktrace trace -s");
	if (!err)
		err = io_spans_svg_add(spans, &options, &text);
	if (!err)
		err = timechart_write(c, &text);
	if (!err)
		timechart_tell(c, spans->end - spans->begin, spans->tasks.nr);
	return err;
}

static struct error *timechart_draw_tasks(struct timechart_command *c)
{
	_cleanup_(timechart) struct timechart *chart = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = timechart_create(&chart);

	if (c->limited || c->skip_again)
		log_warning("--io-skip-eagain, --io-min-time and --io-merge-dist are for charts of "
			    "system calls, which -I draws.");
	if (!err)
		err = recording_run(c->in.reader, NULL, &c->in.selection, &chart->consumer, false,
				    NULL);
	if (!err)
		err = timechart_check_samples(c, chart->end);
	if (!err)
		err = timechart_choose_tasks(c, chart);
	if (!err)
		err = timechart_svg_add(chart, &c->svg, &text);
	if (!err)
		err = timechart_write(c, &text);
	if (!err)
		timechart_tell(c, chart->end - chart->begin, chart->tasks.nr);
	return err;
}

static struct error *timechart_draw(struct subcommand_call *call)
{
	struct timechart_command *c = call->data;
	struct error *err = timechart_check(c);

	if (!err)
		err = timechart_open(c);
	c->svg.no_power = c->tasks_only;
	c->svg.recording = c->from.input ? c->from.input : RECORDING_DEFAULT;
	if (err)
		return err;
	return c->io_only ? timechart_draw_io(c) : timechart_draw_tasks(c);
}

/* As in perf, these come before the options and the command of record. */
static void timechart_take(struct timechart_command *c, const char *word, bool *ret)
{
	*ret = true;
	if (!strcmp(word, "-P") || !strcmp(word, "--power-only"))
		c->power_only = true;
	else if (!strcmp(word, "-T") || !strcmp(word, "--tasks-only"))
		c->tasks_only = true;
	else if (!strcmp(word, "-I") || !strcmp(word, "--io-only"))
		c->io_only = true;
	else if (!strcmp(word, "--callchain"))
		c->chains = true;
	else
		*ret = false;
}

/* The calls that perf records on Linux 6.1, and those of newer kernels and of databases. */
static const char timechart_calls[] =
	"read pread64 readv preadv preadv2 write pwrite64 writev pwritev pwritev2 sync "
	"sync_file_range fsync fdatasync syncfs msync recvfrom recvmmsg recvmsg sendto sendmsg "
	"sendmmsg epoll_pwait epoll_pwait2 epoll_wait poll ppoll pselect6 select";

/* Both ends of each call. */
static struct error *timechart_add_call(void *data, const char *name)
{
	strbuf_addf(data, "sys_enter_%s sys_exit_%s ", name, name);
	return NULL;
}

/* perf's command reads sched_wakeup; sched_waking has the task that woke. */
static struct error *timechart_record(struct subcommand_call *call)
{
	enum { POWER = 1, TASKS = 2, CALLS = 4 };
	struct timechart_command *c = call->data;
	_cleanup_(strbuf) struct strbuf calls = STRBUF_INIT;
	struct subcommand_events events[] = {
		{ "power", NULL, "cpu_idle cpu_frequency", POWER },
		{ "sched", "sched_switch sched_waking sched_wakeup sched_wakeup_new", NULL, TASKS },
		{ "syscalls", NULL, NULL, CALLS },
		{ 0 },
	};
	const char *options[] = { "-a", "-m", "1024", "-c", "1", NULL, NULL, NULL };
	size_t nr = 5;
	bool taken = true;
	struct error *err;

	for (; call->argv[1]; call->argv++) {
		timechart_take(c, call->argv[1], &taken);
		if (!taken)
			break;
	}
	err = timechart_check(c);
	if (!err)
		err = word_list_each(timechart_calls, " ", timechart_add_call, &calls);
	if (err)
		return err;
	events[2].if_there = strbuf_str(&calls);
	/* The recorder's own calls would cause more of them. */
	if (c->io_only)
		options[nr++] = "--exclude-perf";
	if (c->chains)
		options[nr++] = "-g";
	return subcommand_record(call, options, events, c->io_only ? CALLS :
				 (c->tasks_only ? 0 : POWER) | (c->power_only ? 0 : TASKS));
}

static const struct subcommand timechart_commands[] = {
	SUBCOMMAND("", NULL, timechart_draw),
	SUBCOMMAND("record", "record the events of the picture", timechart_record),
	{ 0 },
};

struct error *cmd_timechart(int argc, char **argv, int *ret_status)
{
	struct timechart_command c = {
		.output = "output.svg", .tasks = TIMECHART_TASKS, .svg.width = 1000,
		.limits = { .shortest = 1000000, .apart = 1000 },
	};
	const struct option_spec options[] = {
		OPT_STRING("output", &c.output),
		OPT_UINT("width", &c.svg.width),
		OPT_CALL("process", &c, timechart_want),
		OPT_UINT("proc-num", &c.tasks),
		OPT_FLAG("power-only", &c.power_only),
		OPT_FLAG("tasks-only", &c.tasks_only),
		OPT_FLAG("io-only", &c.io_only),
		OPT_FLAG("io-skip-eagain", &c.skip_again),
		OPT_CALL("io-min-time", &c, timechart_min_time),
		OPT_CALL("io-merge-dist", &c, timechart_merge_dist),
		OPT_FLAG("topology", &c.svg.by_topology),
		OPT_CALL("highlight", &c, timechart_highlight),
		OPT_STRING("time", &c.words.times),
		SUBCOMMAND_INPUT_OPTIONS(&c.from),
		RECORDING_QUIET_OPTION,
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "timechart",
		.synopsis = "[OPTIONS] [record [-I|-P|-T] [OPTIONS] [--] [COMMAND]]",
		.details = ", over time",
		.options = options,
		.commands = timechart_commands,
	};
	struct error *err = subcommands_run(&usage, &c, argc, argv, ret_status);

	recording_end(&c.in);
	free(c.wanted.items);
	return err;
}
