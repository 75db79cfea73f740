// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/sched/sched.h"
#include "cmd/sched/sched_window.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/number.h"
#include "perfdata/reader.h"
#include "states/delay_path.h"
#include "states/delays.h"
#include "states/known_events.h"
#include "table/sched/delay_text.h"
#include "terminal/pager.h"

#define NS_PER_S	1000000000ULL
#define WHY_WORST	10

struct why_command {
	struct subcommand_input common;
	struct selection_words words;
	struct symbol_options symbols;
	const char *slower;
	unsigned int worst;
	bool worst_given, json, no_chains;
	struct delay_options options;
	struct delay_text_options text;
	struct recording in;	/* its selection is that of the options */
	struct selection needed;	/* selection of the samples to read */
	struct task_stays *stays;
	struct delays delays;
	struct cpu_uses uses;

	const char *instant;	/* TASK@TIME; NULL: none */
	char *task;		/* its TASK; owned */
	uint64_t time, precision;	/* its TIME in ns */
};

/* Parse digits, and up to nine more behind a dot, as a number of 10^-9; @ret_unit: of the last. */
static bool why_parse_decimal(const char *text, const char **ret_end, uint64_t *ret,
			      uint64_t *ret_unit)
{
	uint64_t whole = 0, unit = NS_PER_S, part = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (whole > UINT64_MAX / NS_PER_S / 10 - 1)
			return false;
		whole = whole * 10 + (*p - '0');
	}
	if (p == text)
		return false;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9' && unit > 1; p++) {
			unit /= 10;
			part += (*p - '0') * unit;
		}
	*ret_end = p;
	*ret = whole * NS_PER_S + part;
	*ret_unit = unit;
	return true;
}

static struct error *why_parse_slower(struct why_command *c)
{
	static const struct { const char *name; uint64_t per; } units[] = {
		{ "", 1000 }, { "ms", 1000 }, { "us", 1000000 }, { "ns", NS_PER_S }, { "s", 1 },
	};
	uint64_t value, unit;
	const char *end;

	if (why_parse_decimal(c->slower, &end, &value, &unit))
		for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
			if (!strcmp(end, units[i].name)) {
				c->options.slower = value / units[i].per;
				return NULL;
			}
	return error_hint(error_new(EINVAL, "'%s' is not a length of time",
				    c->slower), "For example 5ms, 100us or 1.5s");
}

static struct error *why_parse_instant(struct why_command *c)
{
	const char *at = strrchr(c->instant, '@'), *end;

	if (!at || at == c->instant ||
	    !why_parse_decimal(at + 1, &end, &c->time, &c->precision) || *end)
		return error_hint(error_new(EINVAL, "'%s' is not of the form TASK@TIME",
					    c->instant),
				  "TASK@TIME is the name or the number of a thread, and seconds "
				  "as 'ktrace script' prints them: make@1234.567890");
	c->task = strndup(c->instant, at - c->instant);
	return c->task ? NULL : &error_no_memory;
}

static struct error *why_parse(struct why_command *c)
{
	struct error *err = NULL;

	if (c->instant && (c->worst_given || c->slower || c->words.times || c->words.tids ||
			   c->words.pids || c->options.comms || c->options.off_cpu))
		err = error_new(EINVAL, "why TASK@TIME explains one delay, and takes no option "
				"that searches for delays");
	if (!err && c->worst_given && !c->worst)
		err = error_new(EINVAL, "why --worst needs a number that is not 0");
	if (!err && c->instant)
		err = why_parse_instant(c);
	if (!err && c->slower)
		err = why_parse_slower(c);
	c->options.worst = c->worst_given ? c->worst : c->slower ? 0 : WHY_WORST;
	return err;
}

static struct error *why_open(struct why_command *c)
{
	const struct event_list *events;
	struct error *err = sched_open(&c->in, &c->common, &c->words);
	struct selection *s = &c->in.selection;
	bool is_pipe;

	if (!err && s->times.nr > 1)
		err = error_new(EINVAL, "why takes one time, not %zu", s->times.nr);
	if (err)
		return err;
	c->options.pids = &s->pids;
	c->options.tids = &s->tids;
	if (s->times.nr)
		c->options.time = s->times.items[0];
	events = reader_events(c->in.reader);
	is_pipe = reader_header(c->in.reader)->is_pipe;
	if (!is_pipe && !event_is_recorded(events, "sched", "sched_waking") &&
	    !event_is_recorded(events, "sched", "sched_wakeup"))
		log_warning("The recording has neither sched:sched_waking nor sched:sched_wakeup, "
			    "so the task that ended a sleep is unknown.");
	c->no_chains |= !is_pipe && !event_list_has(events, PERF_SAMPLE_CALLCHAIN);
	return c->no_chains ? NULL : recording_machine(c->in.reader, &c->symbols, &c->in.machine);
}

static bool why_is_recorded(const struct why_command *c, const struct stayed_task *task)
{
	return !c->options.only_recorded || recorded_tasks_has(&c->stays->recorded, task->tid);
}

/* Describe the state of a task that was not delayed. */
static struct error *why_running(const struct why_command *c, const struct stayed_task *task)
{
	const struct task_stay *stay;
	size_t at;

	if (!task_stay_before(task, c->time + 1, &at) || c->time >= c->stays->end)
		return error_new(ENODATA, "Nothing is known about %s:%" PRId32 " at that time",
				 task->comm, task->tid);
	stay = &task->items[at];
	if (stay->state == TASK_RUNNING)
		return error_new(ENODATA, "%s:%" PRId32 " ran on CPU %d then, so nothing delayed it",
				 task->comm, task->tid, stay->cpu);
	return error_new(ENODATA, stay->state == TASK_DEAD ? "%s:%" PRId32 " had ended by then" :
			 "The state of %s:%" PRId32 " at that time is unknown",
			 task->comm, task->tid);
}

static struct error *why_find_instant(struct why_command *c)
{
	const struct stayed_task *named = NULL;
	unsigned long long tid = 0;
	bool is_tid = parse_u64(c->task, &tid);

	for (size_t i = 0; i < c->stays->tasks.nr; i++) {
		const struct stayed_task *task = &c->stays->tasks.items[i];
		struct delay delay;

		if (!task->nr || !task->comm ||
		    (strcmp(task->comm, c->task) &&
		     !(is_tid && task->tid >= 0 && (unsigned long long)task->tid == tid)))
			continue;
		if (!named || task->items[0].since <= c->time)
			named = task;
		if (why_is_recorded(c, task) &&
		    delay_at(c->stays, task, c->time, c->precision, &delay) &&
		    !array_push(&c->delays, delay))
			return &error_no_memory;
	}
	if (c->delays.nr)
		return NULL;
	if (!named)
		return error_hint(error_new(ENODATA, "The recording has no task '%s'", c->task),
				  "'ktrace sched latency -p' lists its tasks");
	if (!why_is_recorded(c, named))
		return error_hint(error_new(ENODATA, "%s:%" PRId32 " is not a task of the recorded "
					    "command, so its run times are unknown", named->comm,
					    named->tid), "'ktrace sched record' records all CPUs");
	return error_hint(why_running(c, named),
			  "'ktrace sched timehist -t %" PRId32 "' prints when it ran", named->tid);
}

static struct error *why_print_text(struct why_command *c)
{
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;
	struct error *err = NULL;

	for (size_t i = 0; i < c->delays.nr && !err; i++) {
		_cleanup_(delay_path) struct delay_path path = { 0 };
		const struct delay *d = &c->delays.items[i];

		err = delay_path_find(c->stays, d->task, d->since, d->until, &path);
		if (!err)
			err = delay_text_add(c->stays, d, &path, &c->text, i + 1, &c->uses,
					     &out);
		fwrite(strbuf_str(&out), 1, out.len, stdout);
		strbuf_reset(&out);
	}
	if (!err && !c->delays.nr)
		puts("Nothing was delayed.");
	return err;
}

static struct error *why_print_json(struct why_command *c)
{
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;
	struct json_writer json = { .out = &out };
	struct error *err = NULL;

	json_begin_object(&json, NULL);
	json_begin_array(&json, "delays");
	for (size_t i = 0; i < c->delays.nr && !err; i++) {
		_cleanup_(delay_path) struct delay_path path = { 0 };
		const struct delay *d = &c->delays.items[i];

		err = delay_path_find(c->stays, d->task, d->since, d->until, &path);
		if (!err)
			err = delay_json_add(c->stays, d, &path, &c->uses, &json);
		fwrite(strbuf_str(&out), 1, out.len, stdout);
		strbuf_reset(&out);
	}
	json_end_array(&json);
	json_end_object(&json);
	json_end(&json);
	fwrite(strbuf_str(&out), 1, out.len, stdout);
	return err ? err : out.failed ? &error_no_memory : NULL;
}

/* All tasks and CPUs are read, but an index skips most samples outside of a time. */
static struct error *why_narrow(struct why_command *c)
{
	const struct time_ranges *times = &c->in.selection.times;

	if (!times->nr || reader_header(c->in.reader)->is_pipe)
		return NULL;
	c->stays->counted = times->items[0];
	return sched_window_find_delays(c->common.input, &times->items[0], c->options.off_cpu,
					&c->needed.times);
}

static struct error *why_run(struct why_command *c)
{
	struct error *err = why_parse(c);

	if (!err)
		err = why_open(c);
	if (!err)
		err = task_stays_create(!c->no_chains, &c->stays);
	if (!err)
		err = why_narrow(c);
	if (!err)
		err = recording_run(c->in.reader, c->in.machine, &c->needed,
				    &c->stays->consumer, false, NULL);
	if (!err)
		c->options.only_recorded = recording_is_of_command(reader_events(c->in.reader));
	if (!err && c->stays->unseen)
		log_warning("%" PRIu64 " times, a task stopped running without a recorded start, "
			    "so it seems to have waited while it ran. 'ktrace sched record' "
			    "records all CPUs.", c->stays->unseen);
	if (!err)
		err = c->task ? why_find_instant(c) :
				delays_find(c->stays, &c->options, &c->delays);
	if (err)
		return err;
	pager_start();
	return c->json ? why_print_json(c) : why_print_text(c);
}

static void why_deinit(struct why_command *c)
{
	cpu_uses_deinit(&c->uses);
	delays_deinit(&c->delays);
	task_stays_destroy(c->stays);
	recording_end(&c->in);
	selection_deinit(&c->needed);
	free(c->task);
}

static struct error *why_set_worst(void *data, const char *argument)
{
	struct why_command *c = data;
	unsigned long long number;

	if (!parse_u64(argument, &number) || number > UINT32_MAX)
		return error_new(EINVAL, "why --worst needs a number, not '%s'", argument);
	c->worst = number;
	c->worst_given = true;
	return NULL;
}

struct error *cmd_why(int argc, char **argv, int *ret_status)
{
	struct why_command c = { .text.max_stack = 8 };
	const struct option_spec options[] = {
		OPT_CALL("worst", &c, why_set_worst),
		OPT_STRING("slower-than", &c.slower),
		OPT_FLAG("off-cpu", &c.options.off_cpu),
		OPT_STRING("comms", &c.options.comms),
		OPT_STRING("pid", &c.words.pids),
		OPT_STRING("tid", &c.words.tids),
		OPT_STRING("time", &c.words.times),
		OPT_FLAG("json", &c.json),
		OPT_FLAG("no-call-graph", &c.no_chains),
		OPT_UINT("max-stack", &c.text.max_stack),
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		SUBCOMMAND_INPUT_OPTIONS(&c.common),
		RECORDING_QUIET_OPTION,
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "why",
		.synopsis = "[OPTIONS] [TASK@TIME]",
		.details = ". A step is a task that was waited for, or a task that a CPU ran "
			   "instead. 'ktrace sched record' records the events; -g adds call "
			   "chains, -e 'irq:*' the names of interrupts",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (index < argc)
		c.instant = argv[index++];
	err = options_no_argument(&usage, argc, argv, index);
	if (!err)
		err = why_run(&c);
	why_deinit(&c);
	return err;
}
