// SPDX-License-Identifier: GPL-2.0
#include "vmcore/rescue.h"

#include <stdlib.h>
#include <string.h>

#include "perfdata/write/description.h"
#include "perfdata/write/writer.h"
#include "record/body.h"
#include "record/device_lost.h"
#include "record/event.h"
#include "record/ledger.h"

/* The data of one event in a ring. */
struct held {
	uint64_t samples;
	uint64_t lost[LEDGER_LOST_NR];
};

struct rescuing {
	const struct vmcore_session *session;
	const struct description *description;
	const struct event_list *events;	/* of the description */
	struct held *held;		/* by event of the list, then by ring; owned */
	struct record_sink *sink;
	struct rescue *result;
};

static struct held *held_of(struct rescuing *r, const struct event *event, size_t ring)
{
	return &r->held[event->index * r->session->nr_rings + ring];
}

static void note_record(struct rescuing *r, const struct perf_event_header *header, size_t ring)
{
	const struct event *event = event_list_find_record(r->events, header);
	const struct body_device_lost *lost = (const void *)(header + 1);

	if (header->type == PERF_RECORD_LOST && header->size >= sizeof(*header) + sizeof(*lost)) {
		event = event_list_find_id(r->events, lost->id);
		if (event)
			held_of(r, event, ring)->lost[ledger_reason_of_device(lost->reason)] +=
				lost->lost;
	} else if (header->type == PERF_RECORD_SAMPLE) {
		r->result->samples++;
		if (event)
			held_of(r, event, ring)->samples++;
	}
}

/* Write the records of a ring up to the first one that cannot be one. */
static struct error *write_ring(struct rescuing *r, size_t nth)
{
	const struct vmcore_ring *ring = &r->session->rings[nth];
	struct record_span span = { .data = ring->data, .cpu = ring->cpu };

	while (span.size < ring->size) {
		const struct perf_event_header *header = (const void *)(ring->data + span.size);

		if (ring->size - span.size < sizeof(*header) || header->size < sizeof(*header) ||
		    header->size % 8 || header->size > ring->size - span.size ||
		    (header->type != PERF_RECORD_SAMPLE && header->type != PERF_RECORD_LOST))
			break;
		note_record(r, header, nth);
		span.size += header->size;
	}
	if (span.size < ring->size || ring->is_damaged)
		r->result->damaged_rings++;
	return span.size ? record_sink_write(r->sink, &span) : NULL;
}

/* Report losses that no record in the ring reports. */
static struct error *rescue_unplaced(struct rescuing *r, const struct event *event,
				     const struct vmcore_counts *counts, uint32_t cpu, int reason)
{
	struct device_lost record;
	struct record_span span = { .data = &record, .cpu = cpu };

	device_lost_make(event, cpu, reason, counts->unplaced[reason], counts->first_lost,
			 counts->last_lost, &record);
	span.size = record.header.size;
	return record_sink_write(r->sink, &span);
}

/* Add a row of the ledger: an event on the CPU of a ring. */
static struct error *add_row(struct rescuing *r, const struct vmcore_event *from,
			     const struct event *event, size_t ring, struct ledger *ledger)
{
	const struct vmcore_counts *counts = &from->counts[ring];
	struct held *held = held_of(r, event, ring);
	uint64_t gone = counts->recorded > held->samples ? counts->recorded - held->samples : 0;
	struct ledger_row row = {
		.event = event->index, .cpu = r->session->rings[ring].cpu,
		.recorded = held->samples,
		.filtered = counts->filtered, .out_of_scope = counts->out_of_scope,
		.proof = from->is_bounded ? LEDGER_BOUNDED : LEDGER_EXACT,
	};
	struct error *err = NULL;

	for (int i = 0; i < SESSION_MAX_REASONS && !err; i++) {
		held->lost[ledger_reason_of_device(i)] += counts->unplaced[i];
		if (counts->unplaced[i])
			err = rescue_unplaced(r, event, counts, row.cpu, i);
	}
	memcpy(row.lost, held->lost, sizeof(row.lost));
	if (r->session->is_partial) {
		row.proof = LEDGER_UNKNOWN;
		row.filtered = LEDGER_NOT_KNOWN;
	} else if (r->session->rings[ring].overwrites) {
		memset(row.lost, 0, sizeof(row.lost));
		for (int i = 0; i < SESSION_MAX_REASONS; i++)
			row.lost[ledger_reason_of_device(i)] += counts->lost[i];
		row.lost[LEDGER_LOST_OVERWRITTEN] = gone;
		r->result->overwritten += gone;
	} else if (gone) {
		/* The number of firings rejected since the recorder's last reading is unknown. */
		row.proof = LEDGER_UNKNOWN;
		row.filtered = LEDGER_NOT_KNOWN;
		r->result->taken += gone;
	}
	r->result->lost += ledger_row_lost(&row) - row.lost[LEDGER_LOST_OVERWRITTEN];
	return err ? err : ledger_add(ledger, &row);
}

static struct error *rescue_ledger(struct rescuing *r, struct ledger *ledger)
{
	struct error *err = NULL;

	for (size_t i = 0; i < r->session->nr_events; i++) {
		const struct vmcore_event *from = &r->session->events[i];
		const struct event *event = event_list_find_id(r->events, from->id);

		for (size_t ring = 0; event && !err && ring < r->session->nr_rings; ring++)
			err = add_row(r, from, event, ring, ledger);
	}
	return err;
}

static struct error *rescue_records(struct rescuing *r, struct ledger *ledger)
{
	struct error *err = NULL;

	for (size_t i = 0; i < r->session->nr_rings && !err; i++)
		err = write_ring(r, i);
	if (!err)
		err = rescue_ledger(r, ledger);
	return err ? err : record_sink_round(r->sink, 0);
}

static struct error *rescue_to(struct rescuing *r, const char *path)
{
	struct ledger ledger = { 0 };
	struct writer *writer;
	struct error *err;

	err = writer_create_described(path, r->description, &writer);
	if (err)
		return err;
	r->sink = writer_sink(writer);
	err = rescue_records(r, &ledger);
	if (err)
		writer_abort(writer);
	else
		err = writer_finish(writer, &ledger);
	ledger_deinit(&ledger);
	return err;
}

struct error *rescue_session(const struct vmcore_session *session, const struct description *like,
			     const char *path, struct rescue *ret)
{
	_cleanup_(description) struct description description;
	struct rescuing r = { .session = session, .result = ret, .description = &description };
	struct error *err;

	*ret = (struct rescue){ 0 };
	err = description_parse(session->description, session->description_size, &description);
	if (err)
		return error_prefix(err, "The description of the session of %s (%d) is damaged",
				    session->comm, session->pid);
	if (like)
		err = description_lend(like, &description);
	if (err)
		return err;
	r.events = reader_events(description.reader);
	r.held = calloc(r.events->nr * session->nr_rings + 1, sizeof(*r.held));
	if (!r.held)
		return &error_no_memory;
	err = rescue_to(&r, path);
	free(r.held);
	return err;
}
