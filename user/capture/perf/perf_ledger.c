// SPDX-License-Identifier: GPL-2.0
#include "capture/perf/perf_capture.h"

#include <string.h>
#include <unistd.h>

#include "capture/perf/filter_match.h"
#include "record/body.h"

static bool rejects(const struct perf_capture *c, const struct event *event,
		    const struct perf_event_header *header)
{
	const struct filter_node *tree = c->filters[event->index];
	struct sample sample;

	return tree && sample_decode(event, header, &sample) && !filter_match(tree, &sample);
}

/*
 * If a tracepoint has several events, the one that was enabled last writes first.  The kernel puts
 * it at the head of their list, and reverses the order when a task with such events enters the
 * CPU.  So a firing that both record has the record of the new event, then that of the old one.  A
 * firing in an interrupt between the two has its own pair there.
 */
static bool is_given_already(struct perf_capture *c, const struct event *event, size_t ring)
{
	struct perf_tally *tally;

	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return false;
	if (event->replaces)
		c->tallies[event->replaces->index * c->nr_rings + ring].replaced++;
	tally = &c->tallies[event->index * c->nr_rings + ring];
	if (!event->is_tried || !tally->replaced)
		return false;
	tally->replaced--;
	return true;
}

/* After a loss, the missing record of a pair is unknown, so the next record is given. */
static void forget_pairs(struct perf_capture *c, size_t ring)
{
	for (size_t i = 0; i < c->nr_events; i++)
		c->tallies[i * c->nr_rings + ring].replaced = 0;
}

bool perf_ledger_visit(struct ring_visitor *visitor, const struct ring *ring,
		       const struct perf_event_header *header)
{
	struct perf_capture *c = container_of(visitor, struct perf_capture, visitor);
	struct perf_ring *from = container_of(ring, struct perf_ring, ring);
	const uint64_t *words = (const uint64_t *)(header + 1);
	const struct body_lost *lost;
	const struct event *event;
	struct perf_tally *tally;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		/* Often the next sample has the same event. */
		event = from->last_event;
		if (!event || words[0] != from->last_id) {
			event = event_list_find_id(c->events, words[0]);
			if (!event || event->index >= c->nr_events)
				break;
			from->last_event = event;
			from->last_id = words[0];
		}
		if ((event->replaces || event->is_tried) &&
		    is_given_already(c, event, from - c->rings))
			return false;
		tally = &c->tallies[event->index * c->nr_rings + (from - c->rings)];
		from->last_time = event_record_time(event, header);
		if (rejects(c, event, header)) {
			tally->filtered++;
			return false;
		}
		tally->recorded++;
		c->recorded++;
		/* In all samples of ours, the address and the task follow the id. */
		c->own += (pid_t)words[2] == c->own_pid;
		break;
	case PERF_RECORD_LOST:
		lost = body_of(header, struct body_lost);
		from->placed += lost ? lost->lost : 0;
		forget_pairs(c, from - c->rings);
		if (c->sorts_tasks)
			task_records_lost(&c->task_records);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_MMAP2:
		if (c->sorts_tasks)
			task_records_add(&c->task_records, header, ring->cpu);
		return !c->sorts_tasks;
	}
	return true;
}

/*
 * Read the event's count of firings, which is only for events without a group, and of lost records;
 * all events here have the same read_format.
 */
static bool read_lost(const struct perf_capture *c, const struct perf_fd *pfd, uint64_t *ret,
		      uint64_t *ret_fired)
{
	uint64_t format = c->events->items[pfd->event]->attr.read_format;
	uint64_t words[256];
	ssize_t n;

	*ret = *ret_fired = 0;
	if (pfd->fd < 0)
		return true;
	if (!(format & PERF_FORMAT_LOST))
		return false;
	n = read(pfd->fd, words, sizeof(words));
	if (n <= 0)
		/* An event in error state returns no bytes, and has counted nothing. */
		return n == 0;
	if (!(format & PERF_FORMAT_GROUP)) {
		*ret = words[2];
		*ret_fired = words[0];
		return true;
	}
	for (uint64_t i = 0; i < words[0] && (ssize_t)((i + 1) * 24 + 8) <= n; i++)
		if (words[1 + i * 3 + 1] == pfd->id)
			*ret = words[1 + i * 3 + 2];
	return true;
}

/*
 * Whether the number of samples that should be in a ring that overwrites is the event's count.  A
 * firing of sched_stat_* counts as many as its ns.
 */
static bool counts_firings(const struct perf_capture *c, const struct event *event)
{
	return c->keeps && strncmp(event->name, "sched:sched_stat_", 17) && event->attr.write_backward &&
	       event->attr.type == PERF_TYPE_TRACEPOINT && event->attr.sample_period == 1 &&
	       event->attr.read_format & PERF_FORMAT_LOST &&
	       !(event->attr.read_format & PERF_FORMAT_GROUP) && !event->attr.freq &&
	       !c->filters[event->index];
}

/* Write a PERF_RECORD_LOST for losses that the ring did not report. */
static struct error *write_lost(struct perf_capture *c, struct record_sink *sink,
				const struct perf_ring *ring, uint64_t id, uint64_t lost)
{
	const struct event *event = event_list_find_id(c->events, id);
	uint64_t words[8] = { 0 };
	struct perf_event_header *header = (void *)words;
	struct record_span span = { .data = words, .cpu = ring->ring.cpu };
	uint64_t type = event->attr.sample_type;
	size_t n = 1;

	words[n++] = id;
	words[n++] = lost;
	n += !!(type & PERF_SAMPLE_TID);
	if (type & PERF_SAMPLE_TIME)
		words[n++] = ring->last_time;
	if (type & PERF_SAMPLE_ID)
		words[n++] = id;
	if (type & PERF_SAMPLE_CPU)
		words[n++] = ring->ring.cpu;
	if (type & PERF_SAMPLE_IDENTIFIER)
		words[n++] = id;
	header->type = PERF_RECORD_LOST;
	header->size = n * sizeof(*words);
	span.size = header->size;
	return record_sink_write(sink, &span);
}

struct error *perf_ledger_add(struct perf_capture *c, uint32_t nth, struct record_sink *sink,
			      struct ledger *ledger)
{
	struct perf_ring *ring = &c->rings[nth];
	uint64_t placed = ring->placed;
	struct error *err = NULL;

	for (size_t first = 0; !err && first < c->fds.nr; first += c->per_event) {
		const struct event *event = c->events->items[c->fds.items[first].event];
		const struct perf_tally *tally =
			&c->tallies[event->index * c->nr_rings + nth];
		bool in_kernel = event->filter && !c->filters[event->index];
		bool counted = counts_firings(c, event);
		/* If it is not counted, the number of overwritten samples is unknown. */
		bool unknown = in_kernel || (event->attr.write_backward && !counted);
		struct ledger_row row = {
			.event = event->index,
			.cpu = ring->ring.cpu,
			.proof = unknown ? LEDGER_UNKNOWN : LEDGER_BOUNDED,
			.recorded = tally->recorded,
			.filtered = in_kernel ? LEDGER_NOT_KNOWN : tally->filtered,
		};
		uint64_t unplaced, all = 0;

		if (event->attr.write_backward != (nth >= c->nr_places))
			continue;
		if (c->watch.missed && c->watch.missed[nth % c->nr_places]) {
			row.proof = LEDGER_UNKNOWN;
			row.lost[LEDGER_LOST_OTHER] = LEDGER_NOT_KNOWN;
		}
		for (size_t i = first; i < first + c->per_event; i++) {
			uint64_t lost, fired;

			if (c->fds.items[i].ring != nth)
				continue;
			if (!read_lost(c, &c->fds.items[i], &lost, &fired))
				row.proof = LEDGER_UNKNOWN;
			row.lost[LEDGER_LOST_FULL] += lost;
			all += fired;
		}
		if (c->keeps && event->attr.write_backward && !counted)
			row.lost[LEDGER_LOST_OVERWRITTEN] = LEDGER_NOT_KNOWN;
		/* A firing on a CPU that is still enabled may be counted and not yet written. */
		if (counted && all > row.recorded + row.lost[LEDGER_LOST_FULL])
			row.lost[LEDGER_LOST_OVERWRITTEN] = all - row.recorded -
							    row.lost[LEDGER_LOST_FULL];
		/*
		 * LOST records in the ring do not belong to single events, so each event's losses
		 * use up a part of their sum.
		 */
		unplaced = row.lost[LEDGER_LOST_FULL];
		if (unplaced > placed) {
			unplaced -= placed;
			placed = 0;
			err = write_lost(c, sink, ring, event->ids[0], unplaced);
		} else {
			placed -= unplaced;
		}
		if (!err)
			err = ledger_add(ledger, &row);
	}
	/* Without PERF_FORMAT_LOST, the events of the losses that the ring reported are unknown. */
	if (!err && placed && !(c->events->items[0]->attr.read_format & PERF_FORMAT_LOST)) {
		struct ledger_row row = {
			.event = UINT32_MAX, .source = EVENT_SOURCE_PERF,
			.cpu = ring->ring.cpu, .proof = LEDGER_UNKNOWN,
			.lost[LEDGER_LOST_FULL] = placed,
		};

		err = ledger_add(ledger, &row);
	}
	return err;
}
