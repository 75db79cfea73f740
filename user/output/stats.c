// SPDX-License-Identifier: GPL-2.0
/*
 * How many records of each type a recording has, as perf report --stats prints it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "output/rendering.h"
#include "record/body.h"
#include "record/sample.h"
#include "session/group_read.h"

/* Higher types, of a newer perf, are counted in the total alone. */
#define TYPES 128

struct stats_rendering {
	struct rendering rendering;
	struct rendering_request request;
	uint64_t total, types[TYPES];
	struct group_read *reads;
	struct {
		struct stats_event {
			uint64_t samples, lost;
		} *items;	/* by the event's index */
		size_t nr, alloc;
	} events;
};

static struct error *stats_add(struct stats_rendering *r, const struct event *event,
			       struct stats_event more)
{
	if (!array_at(&r->events, event->index, 0))
		return &error_no_memory;
	r->events.items[event->index].samples += more.samples;
	r->events.items[event->index].lost += more.lost;
	return NULL;
}

/* A sample that reads counters counts once for each event whose counter has moved. */
static struct error *stats_add_values(struct stats_rendering *r, const struct event *leader,
				      const struct sample *sample)
{
	struct sample_value values[MAX_GROUP];
	uint64_t enabled, running, delta = 0;
	size_t nr = sample_values(leader, sample, values, MAX_GROUP, &enabled, &running);
	struct error *err = NULL;

	for (size_t i = 0; i < nr && !err; i++) {
		const struct event *event = event_list_find_id(r->request.events, values[i].id);

		if (!event)
			continue;
		err = group_read_advance(r->reads, values[i].id, values[i].value, &delta);
		if (!err && delta)
			err = stats_add(r, event, (struct stats_event){ .samples = 1 });
	}
	return err;
}

static struct error *stats_add_sample(struct stats_rendering *r, const struct record *record)
{
	const struct perf_event_attr *attr = &record->event->attr;
	struct sample sample;

	if (!(attr->sample_type & PERF_SAMPLE_READ) || !(attr->read_format & PERF_FORMAT_ID))
		return stats_add(r, record->event, (struct stats_event){ .samples = 1 });
	return sample_decode(record->event, record->header, &sample) ?
		       stats_add_values(r, record->event, &sample) : NULL;
}

static struct error *stats_record(struct rendering *rendering, const struct record *record)
{
	struct stats_rendering *r = container_of(rendering, struct stats_rendering, rendering);
	const struct body_lost_samples *lost = body_of(record->header, struct body_lost_samples);
	uint32_t type = record->header->type;

	r->total++;
	if (type < TYPES)
		r->types[type]++;
	if (!record->event)
		return NULL;
	if (type == PERF_RECORD_SAMPLE)
		return stats_add_sample(r, record);
	if (type == PERF_RECORD_LOST_SAMPLES && lost)
		return stats_add(r, record->event, (struct stats_event){ .lost = lost->lost });
	return NULL;
}

static void stats_add_event(const struct event *event, const struct stats_event *stats,
			    struct strbuf *text)
{
	if (!stats->samples && !stats->lost)
		return;
	strbuf_addf(text, "%s stats:\n", event->name);
	if (stats->samples)
		strbuf_addf(text, "%16s events: %10" PRIu64 "\n", "SAMPLE", stats->samples);
	if (stats->lost)
		strbuf_addf(text, "%16s events: %10" PRIu64 "\n", "LOST_SAMPLES", stats->lost);
}

static struct error *stats_finish(struct rendering *rendering)
{
	struct stats_rendering *r = container_of(rendering, struct stats_rendering, rendering);
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "\nAggregated stats:\n%16s events: %10" PRIu64 "\n", "TOTAL", r->total);
	for (uint32_t type = 0; type < TYPES; type++)
		if (r->types[type])
			strbuf_addf(&text, "%16s events: %10" PRIu64 "  (%4.1f%%)\n",
				    record_type_name(type), r->types[type],
				    100.0 * r->types[type] / r->total);
	for (size_t i = 0; i < r->events.nr; i++)
		stats_add_event(r->request.events->items[i], &r->events.items[i], &text);
	return rendering_print(r->request.out, &text);
}

static void destroy_stats(struct rendering *rendering)
{
	struct stats_rendering *r = container_of(rendering, struct stats_rendering, rendering);

	free(r->events.items);
	group_read_destroy(r->reads);
	free(r);
}

struct error *output_stats_open(const struct rendering_request *request, struct rendering **ret)
{
	struct stats_rendering *r = calloc(1, sizeof(*r));
	struct error *err;

	if (!r)
		return &error_no_memory;
	err = group_read_create(&r->reads);
	if (err) {
		free(r);
		return err;
	}
	r->request = *request;
	r->rendering = (struct rendering){
		.record = stats_record, .finish = stats_finish, .destroy = destroy_stats,
	};
	*ret = &r->rendering;
	return NULL;
}
