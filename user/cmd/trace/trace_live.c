// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "cmd/event_words.h"
#include "cmd/live_run.h"
#include "cmd/trace/trace.h"
#include "cmd/trace/trace_strings.h"
#include "lib/array.h"
#include "lib/interrupt.h"

/* Interval between marks, after which records are printed. */
#define TRACE_ROUND_MS	100

struct trace_run {
	struct trace trace;
	struct live_run live;
};

static void trace_run_deinit(struct trace_run *run)
{
	trace_deinit(&run->trace);
	live_run_deinit(&run->live);
}

DEFINE_CLEANUP(trace_run, struct trace_run, trace_run_deinit)

/* The kernel does not accept filters with more parts. */
#define TRACE_FILTER_PARTS	64

/*
 * The filter with which the kernel records only the wanted calls, as ranges of their numbers.  It
 * is empty if all calls are wanted, or if it would be too long.  Unwanted calls are then recorded,
 * too, and left out when printing.
 */
static struct error *trace_make_filter(const struct trace_options *o, struct syscalls *syscalls,
				       struct strbuf *ret)
{
	const bool *wanted = trace_options_wanted(o);
	unsigned int parts = 0;

	/* The kernel's filter cannot distinguish calls of 32-bit tasks. */
	for (uint32_t first = 0; wanted && first < SYSCALL_I386; first++) {
		uint32_t last = first;

		if (!wanted[first] && !wanted[SYSCALL_I386 + first])
			continue;
		/* Numbers of no call may be in a range. */
		for (uint32_t i = first + 1; i < SYSCALL_I386; i++) {
			if (wanted[i] || wanted[SYSCALL_I386 + i])
				last = i;
			else if (syscalls_at(syscalls, i)->known)
				break;
		}
		strbuf_addf(ret, "%s", parts++ ? " || " : "");
		if (first == last)
			strbuf_addf(ret, "id == %u", first);
		else
			strbuf_addf(ret, "(id >= %u && id <= %u)", first, last);
		first = last;
	}
	if (parts > TRACE_FILTER_PARTS)
		strbuf_reset(ret);
	return ret->failed ? &error_no_memory : NULL;
}

static struct error *trace_add_event(struct trace_options *o, const char *event,
				     const char *filter)
{
	struct error *err = event_words_add(&o->record.specs, event);

	if (!err && filter && *filter)
		err = event_words_set_filter(&o->record.specs, filter);
	return err;
}

static struct error *trace_add_events(struct trace_run *run)
{
	struct trace_options *o = run->trace.options;
	_cleanup_(strbuf) struct strbuf filter = STRBUF_INIT;
	_cleanup_(trace_strings) struct trace_strings strings = { 0 };
	struct error *err = trace_make_filter(o, run->trace.syscalls, &filter);

	/* These come first, so that their samples do, too, and have the strings. */
	if (!err && o->syscalls && !o->summary_only)
		err = trace_strings_find(run->trace.syscalls, trace_options_wanted(o),
					 o->record.plan.via, &strings);
	o->record.plan.user_strings = strings.ask;
	for (size_t i = 0; i < strings.nr && !err; i++)
		err = trace_add_event(o, strings.items[i], NULL);
	if (!err && o->syscalls)
		err = trace_add_event(o, "raw_syscalls:sys_enter", strbuf_str(&filter));
	if (!err && o->syscalls)
		err = trace_add_event(o, "raw_syscalls:sys_exit", strbuf_str(&filter));
	if (!err && o->major)
		err = trace_add_event(o, "major-faults", NULL);
	if (!err && o->minor)
		err = trace_add_event(o, "minor-faults", NULL);
	if (!err && o->sched)
		err = trace_add_event(o, "sched:sched_stat_runtime", NULL);
	for (size_t i = 0; i < o->nr_words && !err; i++)
		if (o->words[i].is_event)
			err = trace_add_event(o, o->words[i].text, o->words[i].filter);
	return err || !o->cgroup ? err : event_specs_set_cgroups(&o->record.specs, o->cgroup);
}

/* Formats that are not those of the kernel, because they have the fields of strings. */
static struct error *trace_own_formats(struct live_run *run)
{
	const struct event_list *events = &run->plan.events;
	struct error *err = NULL;

	for (size_t i = 0; i < events->nr && !err; i++)
		if (events->items[i]->user_strings)
			err = formats_add(run->formats, "syscalls", events->items[i]->format_text,
					  strlen(events->items[i]->format_text));
	return err;
}

/* The formats of the tracepoints that are recorded. */
static struct error *trace_read_formats(struct trace_run *run)
{
	const struct event_specs *specs = &run->trace.options->record.specs;
	struct error *err = formats_create(&run->live.formats);

	if (!err)
		err = trace_own_formats(&run->live);
	for (size_t i = 0; i < specs->nr && !err; i++) {
		_cleanup_free_ char *glob = NULL;

		if (!specs->items[i].system)
			continue;
		if (asprintf(&glob, "%s:%s", specs->items[i].system, specs->items[i].name) < 0)
			return &error_no_memory;
		err = live_run_add_formats(&run->live, glob);
	}
	return err;
}

static struct error *trace_take_records(struct trace_run *run)
{
	struct error *err = live_run_take(&run->live, &run->trace.consumer, &run->trace.stop);

	return err ? err : trace_text_flush(run->trace.text);
}

static struct error *trace_turn(struct loop_consumer *consumer, bool *ret_end)
{
	struct trace_run *run = container_of(consumer, struct trace_run, live.live.consumer);
	struct error *err = trace_take_records(run);

	*ret_end = run->trace.stop;
	return err;
}

static struct error *trace_record_live(struct trace_run *run)
{
	const struct trace_options *o = run->trace.options;
	struct live_run *live = &run->live;
	struct error *err = trace_read_formats(run);

	/* The tasks that exist when tracing starts are looked at after the delay. */
	if (!err && o->record.delay)
		err = recorder_delay(&live->recorder, o->record.delay);
	/* The maps show which tasks have 32-bit programs. */
	if (!err)
		err = live_run_begin(live, &o->symbols);
	if (err)
		return err;
	live->live.consumer.turn = trace_turn;
	live->recorder.loop.latency_ms = TRACE_ROUND_MS;
	err = recorder_start(&live->recorder);
	if (!err)
		err = live_run_loop(live);
	if (!err)
		err = trace_take_records(run);
	return err ? err : trace_finish(&run->trace);
}

static struct error *trace_open_and_run(struct trace_run *run, struct trace_options *o)
{
	const struct workload_options command = { .argv = o->command };
	struct error *err = trace_add_events(run);

	if (!err)
		err = plan_init(&o->record.plan, &run->live.plan);
	if (!err)
		err = trace_check_switches(o, &run->live.plan.events);
	if (!err)
		err = recorder_open(&run->live.plan, &command, &run->live.recorder);
	if (!err)
		err = trace_record_live(run);
	if (!err)
		live_run_tell_lost(&run->live, "events", "or fewer events (-e) help");
	return err;
}

struct error *trace_live(struct trace_options *o, int argc, char **argv)
{
	_cleanup_(trace_run) struct trace_run run = {
		.live.info = { .argc = argc, .argv = argv },
	};
	_cleanup_fclose_ FILE *file = NULL;
	struct error *err = NULL;

	if (o->output)
		err = trace_open_output(o->output, &file);
	if (!err)
		err = trace_init(&run.trace, o, NULL, true, file ? file : stderr);
	if (!err)
		err = trace_open_and_run(&run, o);
	event_words_end();
	return interrupt_quit(err);
}
