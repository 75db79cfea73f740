// SPDX-License-Identifier: GPL-2.0
/*
 * How many records of each type a recording has, as perf report --stats prints it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "output/rendering.h"

/* Higher types, of a newer perf, are counted in the total alone. */
#define TYPES 128

struct stats_rendering {
	struct rendering rendering;
	struct rendering_request request;
	uint64_t total, types[TYPES];
	struct {
		uint64_t *items;	/* samples of each event, by its index */
		size_t nr, alloc;
	} samples;
};

static struct error *stats_add_sample(struct stats_rendering *r, const struct event *event)
{
	while (r->samples.nr <= event->index)
		if (!array_push(&r->samples, (uint64_t)0))
			return &error_no_memory;
	r->samples.items[event->index]++;
	return NULL;
}

static struct error *stats_record(struct rendering *rendering, const struct record *record)
{
	struct stats_rendering *r = container_of(rendering, struct stats_rendering, rendering);
	uint32_t type = record->header->type;

	r->total++;
	if (type < TYPES)
		r->types[type]++;
	return type == PERF_RECORD_SAMPLE && record->event ? stats_add_sample(r, record->event) :
							     NULL;
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
	for (size_t i = 0; i < r->samples.nr; i++)
		if (r->samples.items[i])
			strbuf_addf(&text, "%s stats:\n%16s events: %10" PRIu64 "\n",
				    r->request.events->items[i]->name, "SAMPLE",
				    r->samples.items[i]);
	return rendering_print(r->request.out, &text);
}

static void destroy_stats(struct rendering *rendering)
{
	struct stats_rendering *r = container_of(rendering, struct stats_rendering, rendering);

	free(r->samples.items);
	free(r);
}

struct error *output_stats_open(const struct rendering_request *request, struct rendering **ret)
{
	struct stats_rendering *r = calloc(1, sizeof(*r));

	if (!r)
		return &error_no_memory;
	r->request = *request;
	r->rendering = (struct rendering){
		.record = stats_record, .finish = stats_finish, .destroy = destroy_stats,
	};
	*ret = &r->rendering;
	return NULL;
}
