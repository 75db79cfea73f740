// SPDX-License-Identifier: GPL-2.0
#include "recorder/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/array.h"
#include "lib/log.h"
#include "lib/monotonic.h"
#include "perfdata/connection.h"
#include "recorder/switch_events.h"
#include "recorder/window.h"

/* The size of the rings is checked after this time, or after the requested time. */
#define RINGS_LOOK_MS 5000

static struct snapshots *snapshots_of(struct loop_consumer *consumer)
{
	return container_of(consumer, struct snapshots, consumer);
}

/* Count the requests by events that the module records; its counts include overwritten samples. */
static void snapshots_count_triggers(struct snapshots *s)
{
	uint64_t nr = 0;
	bool any = false;

	for (size_t i = 0; i < s->ledger->nr; i++) {
		const struct ledger_row *row = &s->ledger->items[i];

		if (row->event >= s->plan->events.nr || !s->plan->events.items[row->event]->trigger)
			continue;
		any = true;
		nr += row->recorded + row->lost[LEDGER_LOST_OVERWRITTEN];
	}
	if (any)
		s->triggers = nr;
}

uint64_t snapshots_triggers(const struct snapshots *s)
{
	return s->triggers + (s->switches ? switch_events_count(s->switches) : 0);
}

static struct error *snapshots_note(const struct window *w, const struct snapshot_cause *cause,
				    struct writer *writer)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT, older = STRBUF_INIT;
	time_t seconds = cause->wall / 1000000000;
	char when[64] = "";
	struct error *err;
	struct tm tm;

	strbuf_addf(&text, "%.3f s asked, %.3f s held", w->asked / 1e9, w->held / 1e9);
	if (w->too_small) {
		strbuf_addstr(&text, "; ");
		window_add_short_rings(w, &text);
	}
	strbuf_addf(&older, "%llu samples were left out, ", (unsigned long long)w->older);
	if (w->overwritten_known)
		strbuf_addf(&older, "%llu were overwritten before",
			    (unsigned long long)w->overwritten);
	else
		strbuf_addstr(&older, "how many were overwritten before is not known");
	err = text.failed || older.failed ? &error_no_memory :
					    writer_add_note(writer, "last", strbuf_str(&text));
	if (!err)
		err = writer_add_note(writer, "older", strbuf_str(&older));
	strbuf_reset(&text);
	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%F %T", &tm);
	strbuf_addf(&text, "%s at %s.%06llu, %llu.%09llu of the recording's clock", cause->name, when,
		    (unsigned long long)cause->wall % 1000000000 / 1000,
		    (unsigned long long)cause->time / 1000000000,
		    (unsigned long long)cause->time % 1000000000);
	if (err || text.failed)
		return err ? err : &error_no_memory;
	return writer_add_note(writer, "trigger", strbuf_str(&text));
}

static struct error *write_snapshot(struct snapshots *s, struct perf_file *file, struct window *w,
				    const struct snapshot_cause *cause)
{
	struct record_sink *sink = w ? &w->sink : file->consumer.sink;
	struct capture_ring *rings;
	struct error *err;
	size_t nr;

	err = file->consumer.clock(&file->consumer, s->captures);
	if (!err)
		err = captures_ledger(s->captures, sink, s->ledger);
	/* The samples may be of tasks that have begun since the last round. */
	if (!err)
		err = captures_drain(s->captures, &s->history.sink);
	if (!err)
		err = task_history_write(&s->history, sink);
	if (err || !w)
		return err;
	snapshots_count_triggers(s);
	rings = captures_rings(s->captures, &nr);
	err = rings ? window_close(w, rings, nr, s->ledger) : &error_no_memory;
	free(rings);
	return err ? err : snapshots_note(w, cause, file->writer);
}

static struct error *snapshots_take(struct snapshots *s, const char *path,
				    const struct snapshot_cause *cause)
{
	_cleanup_(window) struct window window = { .to = NULL };
	struct window *w = s->last.asked ? &window : NULL;
	struct perf_file file = { 0 };
	struct error *err;

	if (!path)
		return &error_no_memory;
	err = perf_file_create(path, plan_stored_events(s->plan), s->info, &file);
	if (err)
		return err;
	if (w)
		window_open(w, &s->plan->events, file.consumer.sink, s->began, s->last.asked,
			    cause->time);
	/* Drop the numbers of the last snapshot. */
	ledger_deinit(s->ledger);
	err = write_snapshot(s, &file, w, cause);
	if (err)
		return perf_file_give_up(&file, err);
	err = perf_file_finish(&file, s->captures, s->ledger);
	if (err)
		return err;
	s->taken++;
	if (s->written)
		s->written(s->data, &file, w, cause);
	return kept_files_add(&s->files, path, file.bytes);
}

/* Finds the earliest sample of an event that requests snapshots, after the handled ones. */
struct trigger_search {
	struct record_sink sink;
	const struct event_list *events;
	uint64_t after, time;
	const struct event *found;
};

static struct error *trigger_look(struct record_sink *sink, const struct record_span *span)
{
	struct trigger_search *search = container_of(sink, struct trigger_search, sink);
	const struct perf_event_header *header;
	const char *p = span->data, *end = p + span->size;

	for (; p < end; p += header->size) {
		const struct event *event;
		uint64_t time;

		header = (const void *)p;
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		event = event_list_find_record(search->events, header);
		if (!event || !event->trigger)
			continue;
		time = event_record_time(event, header);
		if (time <= search->after || (search->found && time >= search->time))
			continue;
		search->found = event;
		search->time = time;
	}
	return NULL;
}

static const struct record_sink_ops trigger_ops = { .write = trigger_look };

/* Search the rings of the module, which then waits for the next such sample. */
static struct error *snapshots_find_trigger(struct snapshots *s, struct trigger_search *ret)
{
	struct error *err = NULL;

	*ret = (struct trigger_search){
		.sink.ops = &trigger_ops, .events = &s->plan->events, .after = s->looked,
	};
	for (size_t i = 0; !err && i < s->captures->nr; i++) {
		struct capture *capture = s->captures->items[i];
		_cleanup_(ledger) struct ledger ledger = { 0 };

		if (capture->backend->can & CAPTURE_TRIGGERS && capture->backend->snapshot)
			err = capture->backend->snapshot(capture, &ret->sink, &ledger);
	}
	return err;
}

static bool snapshots_has_triggers(const struct snapshots *s)
{
	return array_any(&s->plan->events, it, (*it)->trigger);
}

static struct error *snapshots_find_cause(struct snapshots *s, struct snapshot_cause *ret)
{
	struct clock_pair now = { 0 };
	struct trigger_search search = { .found = NULL };
	struct error *err = NULL;

	if (s->switches) {
		ret->name = switch_events_take(s->switches, &ret->time);
		ret->is_event = ret->name;
	}
	if (!ret->name && !s->consumer.deaf && snapshots_has_triggers(s)) {
		err = snapshots_find_trigger(s, &search);
		if (search.found)
			*ret = (struct snapshot_cause){ search.found->name, true, search.time, 0 };
	}
	if (!err)
		err = captures_read_clock(s->captures, &now);
	if (!ret->name)
		*ret = (struct snapshot_cause){ .name = "a request", .time = now.trace };
	ret->wall = now.realtime - (now.trace > ret->time ? now.trace - ret->time : 0);
	return err;
}

/* For some time after a file that an event has requested, events are only counted. */
static void snapshots_hold(struct snapshots *s)
{
	s->hold_until_ms = monotonic_ms() + s->last.gap_ms;
	s->consumer.deaf = s->last.gap_ms;
	if (s->switches)
		switch_events_hold(s->switches, s->hold_until_ms);
}

static struct error *snapshots_take_requested(struct loop_consumer *consumer)
{
	struct snapshots *s = snapshots_of(consumer);
	_cleanup_free_ char *path = perf_file_timed_path(s->output);
	struct snapshot_cause cause = { .name = NULL };
	struct clock_pair now = { 0 };
	struct error *err = NULL;

	/* The request came before events were ignored. */
	if (consumer->deaf && s->switches && switch_events_take(s->switches, &cause.time))
		return NULL;
	if (s->last.asked)
		err = snapshots_find_cause(s, &cause);
	if (!err)
		err = snapshots_take(s, path, &cause);
	if (err || !s->last.asked)
		return err;
	err = captures_read_clock(s->captures, &now);
	s->looked = now.trace;
	if (cause.is_event) {
		s->obeyed++;
		snapshots_hold(s);
	}
	return err;
}

/* The time for ignoring events is over.  Events of that time were counted, and have no effect. */
static struct error *snapshots_hear(struct snapshots *s)
{
	struct trigger_search search;
	struct clock_pair now = { 0 };
	struct error *err = NULL;

	s->consumer.deaf = false;
	if (snapshots_has_triggers(s))
		err = snapshots_find_trigger(s, &search);
	if (!err)
		err = captures_read_clock(s->captures, &now);
	s->looked = now.trace;
	return err;
}

/* Warn once, as soon as the rate is known, if the rings do not hold the requested time. */
static struct error *snapshots_look_at_rings(struct snapshots *s, uint64_t ns)
{
	_cleanup_(strbuf) struct strbuf advice = STRBUF_INIT;
	uint64_t least = UINT64_MAX, size = 0;
	struct capture_ring *rings;
	size_t nr;

	s->told_rings = true;
	rings = captures_rings(s->captures, &nr);
	if (!rings)
		return &error_no_memory;
	for (size_t i = 0; i < nr; i++) {
		double holds = rings[i].written ?
			(double)rings[i].size / rings[i].written * ns : least;

		if (rings[i].size && holds < least) {
			least = holds;
			size = rings[i].size;
		}
	}
	free(rings);
	if (least >= s->last.asked)
		return NULL;
	window_add_advice(size, least, s->last.asked, &advice);
	log_notice("At the present rate the rings hold about %.1f s of the %g s asked: use -m %s.",
		   least / 1e9, s->last.asked / 1e9, strbuf_str(&advice));
	return NULL;
}

static struct error *snapshots_turn(struct loop_consumer *consumer, bool *ret_end)
{
	struct snapshots *s = snapshots_of(consumer);
	uint64_t now = monotonic_ms(), ns = (now - s->began_ms) * 1000000;
	struct error *err = NULL;

	if (consumer->deaf && now >= s->hold_until_ms)
		err = snapshots_hear(s);
	if (!err && !s->told_rings && (now - s->began_ms >= RINGS_LOOK_MS || ns >= s->last.asked))
		err = snapshots_look_at_rings(s, ns);
	return err;
}

static struct error *snapshots_note_begin(struct loop_consumer *consumer, struct captures *captures)
{
	struct snapshots *s = snapshots_of(consumer);
	struct clock_pair now = { 0 };
	struct error *err;

	if (s->began_ms)
		return NULL;
	err = captures_read_clock(captures, &now);
	s->began = s->looked = now.trace;
	s->began_ms = monotonic_ms();
	return err;
}

static bool wants_one_at_end(const struct snapshots *s, const struct workload *workload)
{
	int status;

	if (s->at_end || !s->only_if_status)
		return s->at_end;
	/* A signal ended the recording before the command ended. */
	if (!workload->reaped)
		return false;
	status = workload_status(workload);
	return s->status < 0 ? status != 0 : status == s->status;
}

struct error *snapshots_finish(struct snapshots *s, const struct workload *workload)
{
	struct snapshot_cause cause = { .name = "the end" };
	struct clock_pair now = { 0 };
	struct error *err;

	/* The caller stops the requests. */
	s->triggers = snapshots_triggers(s);
	s->switches = NULL;
	if (!wants_one_at_end(s, workload))
		return NULL;
	err = captures_read_clock(s->captures, &now);
	cause.time = now.trace;
	cause.wall = now.realtime;
	return err ? err : snapshots_take(s, s->output, &cause);
}

struct error *snapshots_init(struct snapshots *s)
{
	if (connection_is_stream(s->output))
		return error_hint(error_new(EINVAL, "Snapshots cannot be written to %s",
					    strcmp(s->output, "-") ? s->output : "standard output"),
				  "Each is a file of its own: name it with -o FILE");
	s->consumer = (struct loop_consumer){
		.sink = &s->history.sink, .requested = snapshots_take_requested,
		.clock = s->last.asked ? snapshots_note_begin : NULL,
		.turn = s->last.asked ? snapshots_turn : NULL,
	};
	return task_history_init(s->plan, &s->history);
}

void snapshots_deinit(struct snapshots *s)
{
	task_history_deinit(&s->history);
	kept_files_deinit(&s->files);
}
