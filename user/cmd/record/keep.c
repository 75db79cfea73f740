// SPDX-License-Identifier: GPL-2.0
#include "cmd/record/keep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/format_files.h"
#include "lib/array.h"
#include "lib/bytes.h"
#include "lib/log.h"
#include "lib/monotonic.h"

/* Slow pairs that come within this time are written by one snapshot, if the rings have room. */
#define KEEP_GATHER_MS	1000
/* A ring that has got so much of its size must be read, if something in it is to be kept. */
#define KEEP_FILLED	0.25

/* So many events have a line of their own at the end. */
#define KEEP_EVENTS_PRINTED 8

/* Precedes a sample in the queue. */
struct keep_item {
	uint64_t time;
	const struct event *event;
	uint64_t cpu;
};

/* ---- judging ------------------------------------------------------------------------ */

/* A record with a copied stack can have any size. */
static size_t keep_room(const struct perf_event_header *header)
{
	return (header->size + 7) & ~(size_t)7;
}

static struct error *keep_sample(struct session_consumer *taker, const struct session_record *r)
{
	struct keep *keep = container_of(taker, struct keep, taker);
	const struct perf_event_header *header = r->record.header;
	struct keep_item item = {
		.time = r->sample.time, .event = r->event, .cpu = (uint32_t)r->sample.cpu,
	};

	strbuf_add(&keep->queue, &item, sizeof(item));
	strbuf_add(&keep->queue, header, header->size);
	bytes_add_zeros(&keep->queue, keep_room(header) - header->size);
	return keep->queue.failed ? &error_no_memory : slow_pairs_sample(keep->slow, r);
}

static struct error *keep_other(struct session_consumer *taker, const struct session_record *r)
{
	return slow_pairs_other(container_of(taker, struct keep, taker)->slow, r);
}

static struct error *keep_judge(struct keep *keep)
{
	struct error *err = NULL;
	bool more = true;

	while (!err && more)
		err = session_step(&keep->session, &keep->taker, &more);
	return err;
}

/* Samples wait until they are judged; all other records are always needed. */
static struct error *keep_write(struct record_sink *sink, const struct record_span *span)
{
	struct keep *keep = container_of(sink, struct keep, sink);
	struct record_sink *to = keep->file->consumer.sink;
	const char *p = span->data, *end = p + span->size;
	struct error *err = NULL;

	for (; !err && p < end; p += ((const struct perf_event_header *)p)->size) {
		const struct perf_event_header *header = (const void *)p;
		const struct record_span one = { header, header->size, span->cpu };

		if (header->type != PERF_RECORD_SAMPLE)
			err = record_sink_write(to, &one);
	}
	return err ? err : record_sink_write(&keep->live.sink, span);
}

/* ---- keeping ------------------------------------------------------------------------ */

static uint64_t keep_before(const struct keep *keep, uint64_t time)
{
	return time > keep->options->context ? time - keep->options->context : 0;
}

static uint64_t keep_behind(const struct keep *keep, uint64_t time)
{
	uint64_t context = keep->options->context;

	return time < SLOW_OPEN - context ? time + context : SLOW_OPEN;
}

/* The slices are those of all windows that reach into the period, or behind it. */
static struct error *keep_set_period(struct keep *keep, uint64_t until)
{
	const struct slow_windows *windows = slow_pairs_windows(keep->slow);
	struct slices *slices = &keep->slices;
	struct error *err = NULL;

	slices->until = until;
	slices_clear(slices);
	while (keep->settled < windows->nr &&
	       keep_behind(keep, windows->items[keep->settled].end) < slices->from)
		keep->settled++;
	for (size_t i = keep->settled; !err && i < windows->nr; i++) {
		const struct slow_window *w = &windows->items[i];

		if (keep_behind(keep, w->end) >= slices->from)
			err = slices_add(slices, keep_before(keep, w->begin),
					 keep_behind(keep, w->end));
	}
	slices_join(slices);
	return err;
}

/* Add the part of each window in the period that was overwritten before the rings were read. */
static void keep_note_missing(struct keep *keep)
{
	struct slow_windows *windows = slow_pairs_windows(keep->slow);
	const struct slices *slices = &keep->slices;

	for (size_t i = keep->settled; i < windows->nr; i++) {
		struct slow_window *w = &windows->items[i];
		uint64_t begin = keep_before(keep, w->begin), end = keep_behind(keep, w->end);

		begin = begin > slices->from ? begin : slices->from;
		end = end < slices->until ? end : slices->until;
		end = end < slices->whole_since ? end : slices->whole_since;
		w->missing += end > begin ? end - begin : 0;
	}
}

/* At the end of the recording, the sums are needed also if nothing in the rings is. */
static struct error *keep_read_rings(struct keep *keep, struct ledger *ledger)
{
	bool any = slices_any(&keep->slices);
	struct captures *captures = keep->captures;
	struct error *err = NULL;

	for (size_t i = 0; !err && i < captures->nr; i++) {
		struct capture *capture = captures->items[i];
		const struct capture_backend *backend = capture->backend;
		struct capture_ring none, *rings;
		size_t nr = backend->rings ? backend->rings(capture, &none, 0) : 0;

		rings = calloc(nr + 1, sizeof(*rings));
		if (!rings)
			return &error_no_memory;
		slices_begin(&keep->slices);
		err = (any && backend->snapshot ? backend->snapshot : backend->ledger)
			(capture, &keep->slices.sink, ledger);
		if (!err && nr)
			err = slices_end(&keep->slices, rings, backend->rings(capture, rings, nr));
		free(rings);
	}
	keep_note_missing(keep);
	return err;
}

/* Write the samples of pairs in the period that are in slices, and drop the rest. */
static struct error *keep_write_queue(struct keep *keep)
{
	struct strbuf *queue = &keep->queue;
	struct error *err = NULL;

	while (!err && keep->queue_at < queue->len) {
		const struct keep_item *item = (const void *)(queue->data + keep->queue_at);
		const struct perf_event_header *header = (const void *)(item + 1);
		const struct record_span span = { header, header->size, item->cpu };

		if (item->time >= keep->slices.until)
			break;
		if (slices_have(&keep->slices, item->time)) {
			err = slices_count(&keep->slices, item->event, item->cpu);
			if (!err)
				err = record_sink_write(keep->file->consumer.sink, &span);
		}
		keep->queue_at += sizeof(*item) + keep_room(header);
	}
	if (keep->queue_at >= queue->len / 2) {
		memmove(queue->data, queue->data + keep->queue_at, queue->len - keep->queue_at);
		queue->len -= keep->queue_at;
		keep->queue_at = 0;
	}
	return err;
}

/* The period is over: nothing before its end is read again. */
static struct error *keep_end_period(struct keep *keep)
{
	struct error *err = keep_write_queue(keep);

	if (!err)
		err = record_sink_round(keep->file->consumer.sink, keep->slices.until);
	keep->slices.from = keep->slices.until;
	keep->needed_ms = 0;
	return err;
}

/* Whether the rings have to be read now, if they have to be read at all. */
static bool keep_is_due(struct keep *keep, const struct capture_ring *rings, size_t nr)
{
	uint64_t now = monotonic_ms();

	if (!keep->needed_ms)
		keep->needed_ms = now;
	return now - keep->needed_ms >= KEEP_GATHER_MS ||
	       slices_filled(&keep->slices, rings, nr, false) >= KEEP_FILLED;
}

/* All records before @mark were judged. */
static struct error *keep_advance(struct keep *keep, uint64_t mark)
{
	_cleanup_(ledger) struct ledger unused = { 0 };
	struct capture_ring *rings;
	uint64_t until;
	struct error *err;
	size_t nr;

	err = slow_pairs_look(keep->slow, mark, &until);
	until = keep_before(keep, until);
	if (err || until <= keep->slices.from)
		return err;
	err = keep_set_period(keep, until);
	if (err)
		return err;
	rings = captures_rings(keep->captures, &nr);
	if (!rings)
		return &error_no_memory;
	if (slices_any(&keep->slices) && !keep_is_due(keep, rings, nr)) {
		free(rings);
		return NULL;
	}
	slices_filled(&keep->slices, rings, nr, true);
	free(rings);
	if (slices_any(&keep->slices))
		err = keep_read_rings(keep, &unused);
	return err ? err : keep_end_period(keep);
}

static struct error *keep_round(struct record_sink *sink, uint64_t mark)
{
	struct keep *keep = container_of(sink, struct keep, sink);
	struct error *err = record_sink_round(&keep->live.sink, mark);

	if (!err)
		err = keep_judge(keep);
	if (mark)
		return err ? err : keep_advance(keep, mark);
	if (!keep->told_clock)
		log_warning("The kernel's clock cannot be read here, so slow pairs are found only at the "
			    "end; -k mono uses another clock.");
	keep->told_clock = true;
	return err;
}

static const struct record_sink_ops keep_ops = { .write = keep_write, .round = keep_round };

/* ---- beginning and end -------------------------------------------------------------- */

static struct error *keep_add_clock(struct loop_consumer *consumer, struct captures *captures)
{
	struct keep *keep = container_of(consumer, struct keep, consumer);

	return keep->file->consumer.clock(&keep->file->consumer, captures);
}

static struct error *keep_turn(struct loop_consumer *consumer, bool *ret_end)
{
	struct keep *keep = container_of(consumer, struct keep, consumer);

	return keep->file->consumer.turn(&keep->file->consumer, ret_end);
}

static struct error *keep_read_formats(struct keep *keep)
{
	struct error *err = formats_create(&keep->formats);

	for (size_t i = 0; !err && i < keep->plan->events.nr; i++) {
		const struct event *event = keep->plan->events.items[i];
		_cleanup_(format_files) struct format_files files = { 0 };

		if (!event->judged)
			continue;
		err = format_files_read(NULL, (char *[]){ event->name, NULL }, &files);
		for (size_t n = 0; n < files.nr && !err; n++)
			err = formats_add(keep->formats, files.items[n].system, files.items[n].text,
					  files.items[n].len);
	}
	return err;
}

static struct error *keep_bind(struct keep *keep)
{
	bool of_tasks = keep->plan->config.target.tasks;
	struct error *err = slow_pairs_create(&keep->slow);

	for (size_t i = 0; !err && i < keep->options->pairs.nr; i++) {
		err = slow_pairs_add(keep->slow, &keep->options->pairs.items[i],
				     &keep->plan->events, keep->formats, of_tasks);
		if (err)
			return error_prefix(err, "--keep");
	}
	return err;
}

struct error *keep_begin(struct keep *keep, const struct writer_info *info)
{
	struct error *err = keep_read_formats(keep);

	if (!err)
		err = keep_bind(keep);
	if (err)
		return err;
	keep->queue = (struct strbuf)STRBUF_INIT;
	keep->sink.ops = &keep_ops;
	keep->consumer = (struct loop_consumer){
		.sink = &keep->sink, .clock = keep_add_clock, .turn = keep_turn,
	};
	keep->taker = (struct session_consumer){ .sample = keep_sample, .other = keep_other };
	slices_init(&keep->slices, &keep->plan->events, keep->file->consumer.sink);
	err = live_records_init(keep->plan, keep->captures, info, &keep->live);
	if (err)
		return err;
	keep->live.forgets = true;
	keep->session = (struct session){
		.source = &keep->live.source, .events = &keep->plan->events,
		.formats = keep->formats,
	};
	err = session_start(&keep->session);
	return err ? err : task_history_write(&keep->live.history, keep->file->consumer.sink);
}

/* "3 of 'sched_waking..sched_switch by pid=next_pid > 5ms'; 120 were shorter; 1 had no end yet" */
static void keep_add_pair(struct keep *keep, size_t pair, struct strbuf *ret)
{
	const struct slow_windows *windows = slow_pairs_windows(keep->slow);
	const struct slow_counts *counts = slow_pairs_counts(keep->slow, pair);
	uint64_t kept = 0, open = 0, replaced = 0, ended = 0, uncertain = 0, cut = 0, missing = 0;

	for (size_t i = 0; i < windows->nr; i++) {
		const struct slow_window *w = &windows->items[i];

		if (w->pair != pair)
			continue;
		kept++;
		open += w->end == SLOW_OPEN;
		replaced += w->replaced;
		ended += w->of_ended;
		uncertain += w->uncertain;
		cut += w->missing > 0;
		missing = w->missing > missing ? w->missing : missing;
	}
	strbuf_addf(ret, "%" PRIu64 " of '%s'; %" PRIu64 " were shorter", kept,
		    keep->options->pairs.items[pair].text, counts->shorter);
	if (open)
		strbuf_addf(ret, "; %" PRIu64 " had no end yet", open);
	if (replaced)
		strbuf_addf(ret, "; %" PRIu64 " had no end before the next start", replaced);
	if (ended)
		strbuf_addf(ret, "; %" PRIu64 " had no end before the task ended", ended);
	if (counts->without_start)
		strbuf_addf(ret, "; %" PRIu64 " ends had no start", counts->without_start);
	if (uncertain)
		strbuf_addf(ret, "; %" PRIu64 " may be shorter, as events were lost meanwhile", uncertain);
	if (cut)
		strbuf_addf(ret, "; %" PRIu64 " had records overwritten, of at most %.3f ms: use larger "
			    "rings (-m)", cut, missing / 1e6);
}

/* The firings of an event that were neither lost nor filtered, from the sums before and after. */
static void keep_add_event_sums(const struct keep *keep, const struct ledger *ledger, size_t index,
				struct strbuf *ret)
{
	struct ledger_row row = ledger_sum(ledger, index);
	struct ledger_row before = ledger_sum(&keep->sums, index);
	uint64_t lost = ledger_row_lost(&row);

	if (event_is_dummy(keep->plan->events.items[index]) ||
	    (!row.recorded && !row.filtered && !lost))
		return;
	strbuf_addf(ret, "%s%s: kept %" PRIu64, ret->len ? "; " : "",
		    keep->plan->events.items[index]->name, row.recorded);
	if (before.lost[LEDGER_LOST_OVERWRITTEN] == LEDGER_NOT_KNOWN || lost == LEDGER_NOT_KNOWN)
		strbuf_addstr(ret, ", dropped on purpose not known");
	else
		strbuf_addf(ret, ", dropped on purpose %" PRIu64, before.recorded +
			    before.lost[LEDGER_LOST_OVERWRITTEN] - row.recorded);
	if (lost == LEDGER_NOT_KNOWN)
		strbuf_addstr(ret, ", lost not known");
	else
		strbuf_addf(ret, ", lost %" PRIu64, lost);
}

static struct error *keep_note(struct keep *keep, const struct ledger *ledger)
{
	_cleanup_(strbuf) struct strbuf dropped = STRBUF_INIT;
	struct error *err = NULL;

	for (size_t i = 0; !err && i < keep->options->pairs.nr; i++) {
		_cleanup_(strbuf) struct strbuf kept = STRBUF_INIT;

		keep_add_pair(keep, i, &kept);
		err = kept.failed ? &error_no_memory :
				    writer_add_note(keep->file->writer, "kept", strbuf_str(&kept));
	}
	for (size_t i = 0; i < keep->plan->events.nr; i++)
		keep_add_event_sums(keep, ledger, i, &dropped);
	if (err || dropped.failed)
		return err ? err : &error_no_memory;
	return dropped.len ? writer_add_note(keep->file->writer, "dropped", strbuf_str(&dropped)) :
			     NULL;
}

struct error *keep_finish(struct keep *keep, struct ledger *ledger)
{
	struct clock_pair now = { 0 };
	uint64_t unused;
	struct error *err = captures_read_clock(keep->captures, &now);

	keep->live.ended = true;
	if (!err)
		err = keep_judge(keep);
	if (!err && now.trace)
		err = slow_pairs_look(keep->slow, now.trace, &unused);
	if (!err)
		err = keep_set_period(keep, UINT64_MAX);
	if (!err)
		err = keep_read_rings(keep, ledger);
	if (!err)
		err = keep_end_period(keep);
	for (size_t i = 0; !err && i < ledger->nr; i++)
		err = ledger_add(&keep->sums, &ledger->items[i]);
	if (err)
		return err;
	slices_settle(&keep->slices, ledger);
	return keep_note(keep, ledger);
}

static void keep_print_sums(const struct keep *keep, const struct ledger *ledger)
{
	size_t printed = 0, nr = 0;

	for (size_t i = 0; i < keep->plan->events.nr; i++) {
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

		keep_add_event_sums(keep, ledger, i, &text);
		nr += text.len > 0;
		if (!text.len || nr > KEEP_EVENTS_PRINTED)
			continue;
		log_notice("  %s.", strbuf_str(&text));
		printed++;
	}
	if (nr > printed)
		log_notice("  The line 'dropped' of the header has %zu more events.", nr - printed);
}

void keep_print(struct keep *keep, const struct ledger *ledger)
{
	for (size_t i = 0; i < keep->options->pairs.nr; i++) {
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

		keep_add_pair(keep, i, &text);
		log_notice("Kept %s.", strbuf_str(&text));
	}
	keep_print_sums(keep, ledger);
	if (slow_pairs_lost(keep->slow))
		log_warning("%" PRIu64 " starts or ends may have been lost, so slow pairs may be missing: "
			    "use larger rings (-m).", slow_pairs_lost(keep->slow));
}

void keep_deinit(struct keep *keep)
{
	session_finish(&keep->session);
	live_records_deinit(&keep->live);
	slow_pairs_destroy(keep->slow);
	formats_destroy(keep->formats);
	slices_deinit(&keep->slices);
	strbuf_deinit(&keep->queue);
	ledger_deinit(&keep->sums);
	*keep = (struct keep){ 0 };
}
