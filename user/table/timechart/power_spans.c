// SPDX-License-Identifier: GPL-2.0
#include "table/timechart/power_spans.h"

#include <stdlib.h>

#include "lib/array.h"
#include "record/header.h"

#define POWER_EXIT	UINT32_MAX	/* as a state: the CPU is not idle any more */

enum { POWER_IDLE = 1, POWER_FREQUENCY };

static const struct known_row power_rows[] = {
	{ "power", "cpu_idle", POWER_IDLE, { "state", "cpu_id" } },
	{ "power", "cpu_frequency", POWER_FREQUENCY, { "state", "cpu_id" } },
	{ 0 },
};

void power_spans_init(struct power_spans *spans)
{
	*spans = (struct power_spans){ .events.rows = power_rows };
}

void power_spans_deinit(struct power_spans *spans)
{
	for (size_t i = 0; i < spans->cpus.nr; i++) {
		free(spans->cpus.items[i].idle.items);
		free(spans->cpus.items[i].frequency.items);
	}
	free(spans->cpus.items);
	known_events_deinit(&spans->events);
	*spans = (struct power_spans){ 0 };
}

static void power_track_end(struct power_track *track, uint64_t time)
{
	struct power_span *last = track->is_open ? &track->items[track->nr - 1] : NULL;

	if (last)
		last->until = time < last->since ? last->since : time;
	track->is_open = false;
}

static struct error *power_track_begin(struct power_track *track, uint64_t time, uint32_t value)
{
	const struct power_span span = { .since = time, .until = time, .value = value };

	/* A governor can set the frequency that there is. */
	if (track->is_open && track->items[track->nr - 1].value == value)
		return NULL;
	power_track_end(track, time);
	if (!array_push(track, span))
		return &error_no_memory;
	track->is_open = true;
	return NULL;
}

struct error *power_spans_take(struct power_spans *spans, const struct session_record *r)
{
	struct known_event event;
	struct error *err = known_event_read(&spans->events, r, &event);
	uint32_t value = event.values[0], number = event.values[1];
	struct power_cpu *cpu;

	if (err || !event.kind || number >= HEADER_CPUS_MAX)
		return err;
	while (spans->cpus.nr <= number)
		if (!array_push(&spans->cpus, ((struct power_cpu){ 0 })))
			return &error_no_memory;
	cpu = &spans->cpus.items[number];
	if (event.kind == POWER_FREQUENCY)
		return power_track_begin(&cpu->frequency, r->sample.time, value);
	if (value != POWER_EXIT)
		return power_track_begin(&cpu->idle, r->sample.time, value);
	power_track_end(&cpu->idle, r->sample.time);
	return NULL;
}

void power_spans_finish(struct power_spans *spans, uint64_t end)
{
	for (size_t i = 0; i < spans->cpus.nr; i++) {
		power_track_end(&spans->cpus.items[i].idle, end);
		power_track_end(&spans->cpus.items[i].frequency, end);
	}
}
