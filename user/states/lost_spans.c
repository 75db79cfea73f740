// SPDX-License-Identifier: GPL-2.0
#include "states/lost_spans.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "record/body.h"
#include "record/header.h"

/* The most records by which times are out of order; a later loss covers the whole time since. */
#define LOST_SPANS_LATE		1024

void lost_spans_deinit(struct lost_spans *spans)
{
	array_free_each(&spans->cpus, .items);
	*spans = (struct lost_spans){ 0 };
}

/* NULL: memory is out. */
static struct lost_cpu *lost_spans_cpu(struct lost_spans *spans, int32_t cpu)
{
	size_t index = cpu < 0 || cpu >= HEADER_CPUS_MAX ? 0 : (size_t)cpu + 1;

	return array_at(&spans->cpus, index, 0);
}

bool lost_spans_note(struct lost_spans *spans, int32_t cpu, uint64_t time)
{
	struct lost_cpu *on = lost_spans_cpu(spans, cpu);

	if (!on)
		return false;
	if (on->nr && on->items[on->nr - 1].until == UINT64_MAX)
		on->items[on->nr - 1].until = time;
	return true;
}

/* Join overlapping spans, so that each list is sorted by both times. */
static bool lost_cpu_add(struct lost_cpu *on, struct lost_span span)
{
	size_t at = on->nr, from;

	while (at && on->items[at - 1].since > span.until && on->nr - at < LOST_SPANS_LATE)
		at--;
	for (from = at; from && on->items[from - 1].until >= span.since; from--) {
		const struct lost_span *other = &on->items[from - 1];

		if (span.since > other->since)
			span.since = other->since;
		if (span.until < other->until)
			span.until = other->until;
	}
	if (from == at) {
		if (!array_push(on, span))
			return false;
		memmove(&on->items[at + 1], &on->items[at],
			(on->nr - 1 - at) * sizeof(*on->items));
	} else {
		memmove(&on->items[from + 1], &on->items[at],
			(on->nr - at) * sizeof(*on->items));
		on->nr -= at - from - 1;
	}
	on->items[from] = span;
	return true;
}

static bool lost_spans_add(struct lost_spans *spans, int32_t cpu, struct lost_span span)
{
	struct lost_cpu *on = lost_spans_cpu(spans, cpu);

	spans->any = true;
	return on && lost_cpu_add(on, span);
}

bool lost_spans_take(struct lost_spans *spans, const struct session_record *r)
{
	const struct perf_event_header *header = r->record.header;
	const struct body_lost *lost = body_of(header, struct body_lost);
	const struct body_lost_samples *samples = body_of(header, struct body_lost_samples);
	struct lost_span span = { r->loss.since, r->loss.until };

	if (header->type == PERF_RECORD_LOST_SAMPLES && samples) {
		spans->counted += samples->lost;
		spans->rings = r->rings;
	}
	if (header->type != PERF_RECORD_LOST || !lost)
		return true;
	spans->placed += lost->lost;
	/* It was written when the recording ended: its time is that of the last record. */
	if (span.until <= span.since)
		span.until = UINT64_MAX;
	return lost_spans_add(spans, r->sample.cpu, span);
}

bool lost_spans_finish(struct lost_spans *spans)
{
	bool done = true;

	if (spans->counted <= spans->placed)
		return true;
	for (size_t i = 0; i < spans->rings->nr && done; i += 2)
		done = !spans->rings->items[i] || lost_spans_add(spans, i / 2, (struct lost_span){
			.since = spans->rings->items[i], .until = UINT64_MAX,
		});
	return done;
}

/* The first span that ends behind @time; @on->nr: there is none. */
static size_t lost_cpu_after(const struct lost_cpu *on, uint64_t time)
{
	return array_count_until(on, until, time);
}

static void lost_cpu_between(const struct lost_cpu *on, uint64_t since, uint64_t until,
			     struct lost_span *ret)
{
	size_t first = lost_cpu_after(on, since);
	size_t last = lost_cpu_after(on, until);

	/* The span that ends behind @until may begin before it. */
	if (last == on->nr || on->items[last].since >= until) {
		if (last == first)
			return;
		last--;
	}
	if (ret->since > on->items[first].since)
		ret->since = on->items[first].since;
	if (ret->until < on->items[last].until)
		ret->until = on->items[last].until;
}

bool lost_spans_between(const struct lost_spans *spans, int32_t cpu, uint64_t since, uint64_t until,
			struct lost_span *ret)
{
	*ret = (struct lost_span){ .since = UINT64_MAX };
	if (!spans->any)
		return false;
	for (size_t i = 0; i < spans->cpus.nr; i++)
		if (!i || cpu == LOST_SPANS_ANY_CPU || i == (size_t)cpu + 1)
			lost_cpu_between(&spans->cpus.items[i], since, until, ret);
	if (ret->since >= ret->until)
		return false;
	if (ret->since < since)
		ret->since = since;
	if (ret->until > until)
		ret->until = until;
	return true;
}
