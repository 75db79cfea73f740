// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "capture/ktrace/device_capture.h"
#include "record/body.h"

/* Count a record that is read from a ring. */
static bool count_taken(struct ring_visitor *visitor, const struct ring *ring,
			const struct perf_event_header *header)
{
	struct kept_reading *reading = container_of(visitor, struct kept_reading, visitor);
	const struct device_capture *c = reading->capture;
	const struct body_device_lost *lost = (const void *)(header + 1);
	size_t nth = container_of(ring, struct device_ring, ring) - c->rings;
	struct kept_taken *taken;
	uint64_t index;

	if (header->size < sizeof(*header) + sizeof(index))
		return true;
	index = device_index_of(c, header);
	if (index >= c->nr_device)
		return true;
	taken = &reading->taken[index * c->cpus->nr + nth];
	if (header->type == PERF_RECORD_SAMPLE)
		taken->samples++;
	else if (header->type == PERF_RECORD_LOST &&
		 header->size >= sizeof(*header) + sizeof(*lost))
		taken->lost[ledger_reason_of_device(lost->reason)] += lost->lost;
	return true;
}

void kept_reading_row(const struct device_capture *c, size_t nr, const struct ktrace_stats *stats,
		      struct ledger_row *row)
{
	const struct kept_taken *taken = &c->reading->taken[nr];

	row->recorded = taken->samples;
	memcpy(row->lost, taken->lost, sizeof(row->lost));
	for (uint32_t reason = 0; c->reading->ends && reason < KTRACE_LOST_NR; reason++)
		row->lost[ledger_reason_of_device(reason)] += stats->unplaced[reason];
	if (c->reading->ends && c->reading->is_first)
		return;
	/* The number of rejected firings since the last reader left, or until now, is unknown. */
	row->proof = LEDGER_UNKNOWN;
	row->filtered = LEDGER_NOT_KNOWN;
}

struct error *kept_reading_start(struct device_capture *c, bool ends)
{
	c->reading = calloc(1, sizeof(*c->reading));
	if (!c->reading)
		return &error_no_memory;
	c->reading->visitor.visit = count_taken;
	c->reading->capture = c;
	c->reading->ends = ends;
	c->reading->is_first = true;
	c->reading->taken = calloc(c->nr_device * c->cpus->nr + 1, sizeof(*c->reading->taken));
	return c->reading->taken ? NULL : &error_no_memory;
}

void kept_reading_free(struct kept_reading *reading)
{
	if (reading)
		free(reading->taken);
	free(reading);
}
