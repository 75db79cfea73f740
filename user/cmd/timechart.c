// SPDX-License-Identifier: GPL-2.0
#include "analysis/timechart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/selection_words.h"
#include "cmd/subcommand.h"
#include "lib/array.h"
#include "lib/file.h"
#include "lib/new_file.h"
#include "output/timechart_svg.h"

#define TIMECHART_TASKS	15	/* at least, as perf */

struct timechart_command {
	struct subcommand_input from;
	struct selection_words words;
	struct timechart_svg_options svg;
	const char *output, *highlight;
	unsigned int tasks;
	bool power_only, tasks_only, io_only;
	struct {
		struct timechart_word *items;
		size_t nr, alloc;
	} wanted;
	struct selection selection;
	struct reader *reader;
};

static const char *const timechart_power[] = { "cpu_idle", "cpu_frequency", NULL };
/* perf's command reads sched_wakeup; who woke is what sched_waking tells. */
static const char *const timechart_tasks[] = {
	"sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new", NULL,
};

static struct error *timechart_want(void *data, const char *argument)
{
	struct timechart_command *c = data;
	const struct timechart_word word = { .text = argument };

	return array_push(&c->wanted, word) ? NULL : &error_no_memory;
}

/* As in perf, a number is a time in ns, and other words name tasks. */
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

static struct error *timechart_check(struct timechart_command *c)
{
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
	const struct event_list *events = reader_events(c->reader);

	for (const char *const *name = timechart_power; *name && !c->tasks_only; name++)
		if (event_is_recorded(events, "power", *name))
			return true;
	return event_is_recorded(events, "sched", "sched_switch");
}

static struct error *timechart_open(struct timechart_command *c)
{
	struct error *err = recording_open(c->from.input, &c->reader);

	if (!err)
		err = reader_read_header(c->reader);
	if (err)
		return err;
	/* The events of a pipe can come later. */
	if (!reader_header(c->reader)->is_pipe && !timechart_is_recorded(c))
		return error_hint(error_new(ENODATA, "The recording has no events that a chart "
					    "could show"),
				  "'ktrace timechart record' records what 'ktrace timechart' reads");
	c->svg.header = reader_header(c->reader);
	if (c->svg.by_topology && !c->svg.header->sockets.nr)
		log_warning("The recording does not tell the sockets and cores of its CPUs, so "
			    "-t has no effect.");
	return selection_words_parse(&c->words, c->svg.header, NULL, &c->selection);
}

static struct error *timechart_choose_tasks(struct timechart_command *c, struct timechart *chart)
{
	bool found = !c->wanted.nr;
	struct error *err = timechart_choose(chart, c->wanted.items, c->wanted.nr,
					     c->power_only ? 0 : c->tasks);

	if (err || !c->tasks)
		return err;
	for (size_t i = 0; i < c->wanted.nr; i++)
		found |= c->wanted.items[i].found;
	if (!found)
		return error_hint(error_new(ENODATA, "The recording has no task '%s'",
					    c->wanted.items[0].text),
				  "'ktrace sched latency -p' lists its tasks");
	for (size_t i = 0; i < c->wanted.nr; i++)
		if (!c->wanted.items[i].found)
			log_warning("The recording has no task '%s'.", c->wanted.items[i].text);
	return NULL;
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
	if (err)
		return error_hint(err, "-o names a file in a folder where you may write");
	code = fd_write_all(file.fd, text->data, text->len);
	if (code)
		return error_errno(-code, "Cannot write %s", c->output);
	return new_file_commit(&file);
}

static struct error *timechart_draw(struct timechart_command *c)
{
	_cleanup_(timechart) struct timechart *chart = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = timechart_check(c);

	if (!err)
		err = timechart_open(c);
	if (!err)
		err = timechart_create(&chart);
	if (!err)
		err = recording_run(c->reader, NULL, &c->selection, &chart->consumer, false, NULL);
	if (!err && !chart->end)
		err = error_hint(error_new(ENODATA, "The recording has no samples, so that there "
					   "is nothing to draw"),
				 c->words.times ? "--time may leave none" :
				 "'ktrace timechart record' records what 'ktrace timechart' reads");
	if (!err)
		err = timechart_choose_tasks(c, chart);
	c->svg.no_power = c->tasks_only;
	c->svg.recording = c->from.input ? c->from.input : RECORDING_DEFAULT;
	if (!err)
		err = timechart_svg_add(chart, &c->svg, &text);
	if (!err)
		err = timechart_write(c, &text);
	if (!err && strcmp(c->output, "-"))
		log_notice("%s shows %.3f seconds and %zu task%s: open it in a browser.",
			   c->output, (chart->end - chart->begin) / 1e9, chart->tasks.nr,
			   chart->tasks.nr == 1 ? "" : "s");
	return err;
}

/* As in perf, these come before the options and the command of record. */
static struct error *timechart_take(struct timechart_command *c, const char *word, bool *ret)
{
	*ret = true;
	if (!strcmp(word, "-P") || !strcmp(word, "--power-only"))
		c->power_only = true;
	else if (!strcmp(word, "-T") || !strcmp(word, "--tasks-only"))
		c->tasks_only = true;
	else if (!strcmp(word, "-I") || !strcmp(word, "--io-only"))
		return error_hint(error_new(ENOSYS, "timechart record -I is not built: the chart "
					    "does not show system calls"),
				  "'ktrace trace record' records them, and 'perf timechart record "
				  "-I' what 'perf timechart' draws");
	else
		*ret = false;
	return NULL;
}

static struct error *timechart_record(struct timechart_command *c, char **argv, int *ret_status)
{
	static const char *const words[] = { "-a", "-m", "1024", "-c", "1", NULL };
	struct subcommand_events events[3] = { { 0 } };
	struct error *err = NULL;
	bool taken = true;
	size_t nr = 0;

	while (argv[1] && !err) {
		err = timechart_take(c, argv[1], &taken);
		if (err || !taken)
			break;
		argv++;
	}
	if (!err)
		err = timechart_check(c);
	if (err)
		return err;
	if (!c->tasks_only)
		events[nr++] = (struct subcommand_events){ "power", NULL, timechart_power };
	if (!c->power_only)
		events[nr++] = (struct subcommand_events){ "sched", timechart_tasks, NULL };
	return subcommand_record(words, events, argv, ret_status);
}

static struct error *timechart_run(struct timechart_command *c, char **argv, int *ret_status)
{
	static const char *const names[] = { "record", NULL };

	if (!argv[0])
		return timechart_draw(c);
	if (subcommand_is("record", argv[0]))
		return timechart_record(c, argv, ret_status);
	return subcommand_unknown("timechart", names, argv[0]);
}

struct error *cmd_timechart(int argc, char **argv, int *ret_status)
{
	struct timechart_command c = {
		.output = "output.svg", .tasks = TIMECHART_TASKS, .svg.width = 1000,
	};
	const struct option_spec options[] = {
		{ OPTION_STRING, 'o', "output", "FILE", "write the picture to FILE (output.svg)",
		  &c.output, NULL },
		{ OPTION_UINT, 'w', "width", "PIXELS", "width of the picture (1000)", &c.svg.width,
		  NULL },
		{ OPTION_CALLBACK, 'p', "process", "TASK",
		  "only tasks of this name, thread or process; may be repeated", &c,
		  timechart_want },
		{ OPTION_UINT, 'n', "proc-num", "N",
		  "at least N tasks, those that ran longest; 0: none (15)", &c.tasks, NULL },
		{ OPTION_FLAG, 'P', "power-only", NULL, "only CPUs, no tasks", &c.power_only,
		  NULL },
		{ OPTION_FLAG, 'T', "tasks-only", NULL, "no idle states and frequencies",
		  &c.tasks_only, NULL },
		{ OPTION_FLAG, 't', "topology", NULL, "sort CPUs by their sockets and cores",
		  &c.svg.by_topology, NULL },
		{ OPTION_CALLBACK, 0, "highlight", "NS|TASK",
		  "another colour for what ran longer, or for a task", &c, timechart_highlight },
		{ OPTION_STRING, 0, "time", "START,STOP",
		  "only this time: seconds, or 10%/2, or 0%-10%", &c.words.times, NULL },
		SUBCOMMAND_INPUT_OPTIONS(&c.from),
		RECORDING_QUIET_OPTION,
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "timechart",
		.synopsis = "[OPTIONS] [record [-P|-T] [OPTIONS] [--] [COMMAND]]",
		.details = ", over time. 'record' records what the picture shows",
		.options = options,
		.stop_at_argument = true,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (!err && index >= 0)
		err = timechart_run(&c, argv + index, ret_status);
	reader_close(c.reader);
	selection_deinit(&c.selection);
	free(c.wanted.items);
	return err;
}
