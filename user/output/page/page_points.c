// SPDX-License-Identifier: GPL-2.0
/*
 * The samples of a profile as bytes for the page, if these are few enough.
 */
#include "output/page/page.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/varint.h"

/* Bytes of samples, without which pages of a million samples would be larger than 5 MB. */
#define POINT_BYTES	(3400 << 10)

/* Times of recordings that are longer are rounded down to a microsecond. */
#define LONG_TIME	1000000000

struct ranked_node {
	uint32_t node;
	size_t samples;
};

static int compare_node_ranks(const void *x, const void *y)
{
	const struct ranked_node *a = x, *b = y;

	return a->samples == b->samples ? (a->node < b->node ? -1 : 1) :
					  array_descending(a->samples, b->samples);
}

/* Number the nodes by how many samples they have; *ret is by node, for free(). */
static struct error *rank_nodes(const struct profile *profile, struct strbuf *out, uint32_t **ret)
{
	_cleanup_free_ struct ranked_node *nodes = calloc(profile->nodes.nr + 1, sizeof(*nodes));
	uint32_t *ranks = calloc(profile->nodes.nr + 1, sizeof(*ranks));

	*ret = ranks;
	if (!nodes || !ranks)
		return &error_no_memory;
	for (size_t i = 0; i < profile->nodes.nr; i++)
		nodes[i].node = i;
	for (size_t i = 0; i < profile->points.nr; i++)
		nodes[profile->points.items[i].node].samples++;
	qsort(nodes, profile->nodes.nr, sizeof(*nodes), compare_node_ranks);
	for (size_t i = 0; i < profile->nodes.nr && nodes[i].samples; i++) {
		ranks[nodes[i].node] = i;
		varint_add(out, nodes[i].node);
	}
	return NULL;
}

/* Where samples are taken regularly, the distance changes little from one to the next. */
static void add_lane_points(const struct profile *profile, const struct profile_lane *lane,
			    const struct profile_point *points, const uint32_t *ranks,
			    uint64_t tick, struct strbuf *out)
{
	bool with_period = !profile->events.items[lane->event].each;
	int64_t last = 0, step = 0;

	for (size_t i = 0; i < lane->points && out->len <= POINT_BYTES; i++) {
		int64_t time = (points[i].time - profile->start) / tick;

		varint_add_signed(out, time - last - step);
		varint_add(out, ranks[points[i].node]);
		if (with_period)
			varint_add(out, points[i].period);
		step = time - last;
		last = time;
	}
}

uint64_t page_tick(const struct profile *profile)
{
	return profile->end - profile->start > LONG_TIME ? 1000 : 1;
}

struct error *page_points_encode(const struct profile *profile, struct strbuf *ranks,
				 struct strbuf *samples)
{
	_cleanup_free_ uint32_t *by_node = NULL;
	const struct profile_point *points = profile->points.items;
	struct error *err;

	if (profile->points.nr < profile->samples)
		return NULL;
	err = rank_nodes(profile, ranks, &by_node);
	for (size_t i = 0; !err && i < profile->lanes.nr; i++) {
		add_lane_points(profile, &profile->lanes.items[i], points, by_node,
				page_tick(profile), samples);
		points += profile->lanes.items[i].points;
	}
	if (samples->len > POINT_BYTES) {
		strbuf_reset(samples);
		strbuf_reset(ranks);
	}
	return err;
}
