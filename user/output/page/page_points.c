// SPDX-License-Identifier: GPL-2.0
/*
 * The samples of a profile as bits for the page, if these are few enough.
 */
#include "output/page/page.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/varint.h"

/* Without more bytes of samples, a page of a million samples is smaller than 5 MB in base64. */
#define POINT_BYTES	(3000 << 10)

/* Times of recordings that are longer are rounded down to a microsecond. */
#define LONG_TIME	1000000000

/* Only each so many-th sample is looked at to choose how numbers are written. */
#define CODE_STEP	61
#define CODE_LARGEST	40

struct ranked_node {
	uint32_t node;
	size_t samples;
};

struct point_bits {
	struct strbuf *out;
	uint64_t bits;		/* the last nr of these are not in @out yet */
	unsigned int nr;	/* less than 8 */
};

/* For each number of a sample, the sum of the bits that each code would need. */
struct code_costs {
	uint64_t bits[PAGE_NUMBERS][CODE_LARGEST + 1];
	size_t seen;
};

DEFINE_COMPARISON(compare_node_ranks, struct ranked_node,
		  array_descending(x->samples, y->samples) ?: array_order(x->node, y->node))

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
	for (size_t i = 0; i < profile->nodes.nr; i++)
		varint_add(out, nodes[i].samples);
	qsort(nodes, profile->nodes.nr, sizeof(*nodes), compare_node_ranks);
	for (size_t i = 0; i < profile->nodes.nr; i++)
		ranks[nodes[i].node] = i;
	return NULL;
}

static unsigned int bit_length(uint64_t number)
{
	return number ? 64 - __builtin_clzll(number) : 0;
}

static unsigned int code_length(uint64_t number, unsigned int code)
{
	unsigned int length = bit_length(number + (1ULL << code));

	return 2 * length - 1 - code;
}

/* Append @nr bits; of more than 57, the first ones must be 0. */
static void points_add_bits(struct point_bits *bits, uint64_t number, unsigned int nr)
{
	for (; nr > 32; nr--)
		points_add_bits(bits, nr <= 64 ? number >> (nr - 1) & 1 : 0, 1);
	bits->bits = bits->bits << nr | (number & ((1ULL << nr) - 1));
	for (bits->nr += nr; bits->nr >= 8; bits->nr -= 8)
		strbuf_addch(bits->out, bits->bits >> (bits->nr - 8));
}

/* An exponential Golomb code: @code is the number of bits that small numbers have. */
static void points_add_code(struct point_bits *bits, uint64_t number, unsigned int code)
{
	uint64_t more = number + (1ULL << code);

	points_add_bits(bits, more, code_length(number, code));
}

/* The numbers of a sample: the change of the distance in ticks, the rank, and the period. */
static void point_numbers(const struct profile *profile, const struct profile_point *point,
			  const uint32_t *ranks, int64_t last[2], uint64_t ret[PAGE_NUMBERS])
{
	int64_t time = (point->time - profile->start) / page_tick(profile);
	int64_t step = time - last[0], change = step - last[1];

	ret[0] = (uint64_t)change << 1 ^ (uint64_t)(change >> 63);
	ret[1] = ranks[point->node];
	ret[2] = point->period < UINT64_MAX >> 2 ? point->period : UINT64_MAX >> 2;
	last[0] = time;
	last[1] = step;
}

static void count_codes(const struct profile *profile, const uint32_t *ranks,
			struct code_costs *costs)
{
	const struct profile_point *point = profile->points.items;

	for (size_t i = 0; i < profile->lanes.nr; i++) {
		const struct profile_lane *lane = &profile->lanes.items[i];
		struct code_costs *cost = &costs[lane->event];
		uint64_t numbers[PAGE_NUMBERS];
		int64_t last[2] = { 0, 0 };

		for (size_t k = 0; k < lane->points; k++, point++) {
			point_numbers(profile, point, ranks, last, numbers);
			if (cost->seen++ % CODE_STEP)
				continue;
			for (unsigned int code = 0; code <= CODE_LARGEST; code++)
				for (unsigned int n = 0; n < PAGE_NUMBERS; n++)
					cost->bits[n][code] += code_length(numbers[n], code);
		}
	}
}

static void choose_codes(const struct code_costs *costs, struct page_codes *ret)
{
	for (unsigned int n = 0; n < PAGE_NUMBERS; n++) {
		ret->bits[n] = 0;
		for (unsigned int code = 1; code <= CODE_LARGEST; code++)
			if (costs->bits[n][code] < costs->bits[n][ret->bits[n]])
				ret->bits[n] = code;
	}
}

/* With regular sampling, the distance changes little from one sample to the next. */
static void add_points(const struct profile *profile, const uint32_t *ranks,
		       const struct page_codes *codes, struct strbuf *out)
{
	const struct profile_point *point = profile->points.items;
	struct point_bits bits = { .out = out };

	for (size_t i = 0; i < profile->lanes.nr && out->len <= POINT_BYTES; i++) {
		const struct profile_lane *lane = &profile->lanes.items[i];
		unsigned int nr = profile->events.items[lane->event].each ? 2 : 3;
		const struct page_codes *code = &codes[lane->event];
		uint64_t numbers[PAGE_NUMBERS];
		int64_t last[2] = { 0, 0 };

		for (size_t k = 0; k < lane->points && out->len <= POINT_BYTES; k++, point++) {
			point_numbers(profile, point, ranks, last, numbers);
			for (unsigned int n = 0; n < nr; n++)
				points_add_code(&bits, numbers[n], code->bits[n]);
		}
	}
	points_add_bits(&bits, 0, 7);
}

uint64_t page_tick(const struct profile *profile)
{
	return profile->end - profile->start > LONG_TIME ? 1000 : 1;
}

struct error *page_points_encode(const struct profile *profile, struct strbuf *counts,
				 struct strbuf *samples, struct page_codes *codes)
{
	_cleanup_free_ struct code_costs *costs = calloc(profile->events.nr + 1, sizeof(*costs));
	_cleanup_free_ uint32_t *ranks = NULL;
	struct error *err;

	if (!costs)
		return &error_no_memory;
	if (!profile->points.nr || profile->points.nr < profile->samples)
		return NULL;
	err = rank_nodes(profile, counts, &ranks);
	if (err)
		return err;
	count_codes(profile, ranks, costs);
	for (size_t i = 0; i < profile->events.nr; i++)
		choose_codes(&costs[i], &codes[i]);
	add_points(profile, ranks, codes, samples);
	if (samples->len > POINT_BYTES) {
		strbuf_reset(samples);
		strbuf_reset(counts);
	}
	return NULL;
}
