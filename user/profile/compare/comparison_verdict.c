// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>

#include "lib/array.h"
#include "profile/compare/comparison.h"
#include "profile/compare/run_difference.h"

/* A row with fewer samples cannot differ significantly, so it is not judged. */
#define SAMPLES_MIN	20

/*
 * Blocks are joined while the correlation of neighbours exceeds this, but not to fewer than these.
 */
#define ALIKE_MAX	0.15
#define BLOCKS_MIN	16

/* The number of rows for computing the correlation of neighbouring blocks. */
#define ALIKE_ROWS	32

struct judging {
	const struct comparison_event *event;
	const struct comparison_side *sides[2];
	bool runs, absolute;
	size_t joined;		/* number of blocks that are joined into one */
	double scale;		/* of the second side */
};

static size_t blocks_of(const struct judging *j, size_t file)
{
	return j->event->files[file].blocks / j->joined;
}

/* The number of measurements of a side. */
static size_t measurements(const struct judging *j, int side)
{
	size_t nr = 0;

	if (j->runs)
		return j->sides[side]->nr;
	for (size_t i = 0; i < j->sides[side]->nr; i++)
		nr += blocks_of(j, j->sides[side]->files[i]);
	return nr;
}

static double block_share(const struct judging *j, const struct comparison_row *row, size_t file,
			  size_t block)
{
	const struct comparison_cell *cell = &row->cells[file];
	double part = 0, whole = 0;

	for (size_t i = block * j->joined; i < (block + 1) * j->joined; i++) {
		part += cell->blocks ? cell->blocks[i] : 0;
		whole += j->event->files[file].periods[i];
	}
	return whole ? part / whole : 0;
}

/* Store the values of a row in the blocks of a side; returns the number of blocks. */
static size_t measure(const struct judging *j, const struct comparison_row *row, int side,
		      double *ret)
{
	const struct comparison_side *s = j->sides[side];
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++)
		for (size_t b = 0; b < blocks_of(j, s->files[i]); b++)
			ret[nr++] = block_share(j, row, s->files[i], b) * (side ? j->scale : 1);
	return nr;
}

/* The period of a side, per recording. */
static double mean_period(const struct judging *j, int side)
{
	double sum = 0;

	for (size_t i = 0; i < j->sides[side]->nr; i++)
		sum += j->event->files[j->sides[side]->files[i]].period;
	return j->sides[side]->nr ? sum / j->sides[side]->nr : 0;
}

static uint64_t samples_of(const struct judging *j, const struct comparison_row *row)
{
	uint64_t samples = 0;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < j->sides[side]->nr; i++)
			samples += row->cells[j->sides[side]->files[i]].samples;
	return samples;
}

/*
 * The correlation of each block's shares with those of the next block, over the rows with the most
 * samples.
 */
static double likeness(const struct judging *j, const size_t *rows, size_t nr)
{
	double products = 0, squares = 0;

	for (size_t i = 0; i < nr && i < ALIKE_ROWS; i++) {
		const struct comparison_row *row = j->event->rows.items[rows[i]];

		for (int side = 0; side < 2; side++) {
			for (size_t f = 0; f < j->sides[side]->nr; f++) {
				size_t file = j->sides[side]->files[f], blocks = blocks_of(j, file);
				double mean = 0, last = 0;

				for (size_t b = 0; b < blocks; b++)
					mean += block_share(j, row, file, b) / blocks;
				for (size_t b = 0; b < blocks; b++) {
					double value = block_share(j, row, file, b) - mean;

					products += b ? value * last : 0;
					squares += value * value;
					last = value;
				}
			}
		}
	}
	return squares ? products / squares : 0;
}

static size_t fewest_blocks(const struct judging *j)
{
	size_t fewest = SIZE_MAX;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < j->sides[side]->nr; i++)
			if (blocks_of(j, j->sides[side]->files[i]) < fewest)
				fewest = blocks_of(j, j->sides[side]->files[i]);
	return fewest;
}

/* Correlated blocks would have too much weight, so they are joined. */
static void join_blocks(struct judging *j, const size_t *rows, size_t nr)
{
	while (!j->runs && fewest_blocks(j) >= 2 * BLOCKS_MIN && likeness(j, rows, nr) > ALIKE_MAX)
		j->joined *= 2;
}

static struct error *judge_rows(const struct judging *j, const size_t *rows, size_t nr,
				const struct difference_options *options, struct difference *ret)
{
	size_t before = measurements(j, 0), after = measurements(j, 1);
	_cleanup_free_ double *values = calloc(nr * (before + after) + 1, sizeof(*values));
	_cleanup_free_ struct difference *found = calloc(nr + 1, sizeof(*found));
	struct error *err;

	if (!values || !found)
		return &error_no_memory;
	for (size_t i = 0; i < nr; i++) {
		double *at = values + i * (before + after);
		const struct comparison_row *row = j->event->rows.items[rows[i]];

		at += measure(j, row, 0, at);
		measure(j, row, 1, at);
	}
	err = differences_of(values, nr, before, after, options, found);
	for (size_t i = 0; i < nr && !err; i++)
		ret[rows[i]] = found[i];
	return err;
}

/* Judge rows with recordings as the measurements. */
static struct error *judge_runs(const struct judging *j, const size_t *rows, size_t nr,
				const struct difference_options *options, struct difference *ret)
{
	size_t before = j->sides[0]->nr, runs = before + j->sides[1]->nr;
	_cleanup_free_ double *costs = calloc(nr * runs + 1, sizeof(*costs));
	_cleanup_free_ double *samples = calloc(nr * runs + 1, sizeof(*samples));
	_cleanup_free_ double *totals = calloc(runs, sizeof(*totals));
	_cleanup_free_ struct difference *found = calloc(nr + 1, sizeof(*found));
	const struct run_counts counts = {
		.costs = costs, .samples = samples, .totals = totals, .rows = nr,
		.before = before, .after = runs - before, .absolute = j->absolute,
	};
	struct error *err;

	if (!costs || !samples || !totals || !found)
		return &error_no_memory;
	for (size_t run = 0; run < runs; run++) {
		size_t file = run < before ? j->sides[0]->files[run] :
					     j->sides[1]->files[run - before];

		totals[run] = j->event->files[file].period;
		for (size_t i = 0; i < nr; i++) {
			const struct comparison_cell *cell =
				&j->event->rows.items[rows[i]]->cells[file];

			costs[i * runs + run] = cell->period;
			samples[i * runs + run] = cell->samples;
		}
	}
	err = run_differences_of(&counts, options, found);
	for (size_t i = 0; i < nr && !err; i++)
		ret[rows[i]] = found[i];
	return err;
}

struct ranked_row {
	uint64_t samples;
	size_t row;
};

DEFINE_COMPARISON(compare_ranked_rows, struct ranked_row,
		  array_descending(x->samples, y->samples) ?: array_order(x->row, y->row))

/* List the rows that can be judged, those with the most samples first; returns their number. */
static size_t rank_rows(const struct judging *j, struct ranked_row *ranked, size_t *ret)
{
	size_t nr = 0;

	for (size_t i = 0; i < j->event->rows.nr; i++) {
		ranked[nr] = (struct ranked_row){ samples_of(j, j->event->rows.items[i]), i };
		nr += ranked[nr].samples >= SAMPLES_MIN;
	}
	if (nr)
		qsort(ranked, nr, sizeof(*ranked), compare_ranked_rows);
	for (size_t i = 0; i < nr; i++)
		ret[i] = ranked[i].row;
	return nr;
}

struct error *comparison_judge_event(const struct comparison_event *event,
				     const struct comparison_side *before,
				     const struct comparison_side *after, bool absolute,
				     const struct difference_options *options,
				     struct difference *ret, struct comparison_basis *ret_basis)
{
	struct judging j = {
		.event = event, .sides = { before, after }, .joined = 1, .scale = 1,
		.runs = before->nr > 1 && after->nr > 1, .absolute = absolute,
	};
	_cleanup_free_ size_t *rows = calloc(event->rows.nr + 1, sizeof(*rows));
	_cleanup_free_ struct ranked_row *ranked = calloc(event->rows.nr + 1, sizeof(*ranked));
	double first = mean_period(&j, 0), second = mean_period(&j, 1);
	size_t nr;

	if (!rows || !ranked)
		return &error_no_memory;
	for (size_t i = 0; i < event->rows.nr; i++)
		ret[i] = (struct difference){ .low = NAN, .high = NAN, .detectable = NAN,
					      .p = 1, .q = 1 };
	if (absolute && first)
		j.scale = second / first;
	nr = rank_rows(&j, ranked, rows);
	join_blocks(&j, rows, nr);
	*ret_basis = (struct comparison_basis){
		.runs = j.runs, .before = measurements(&j, 0), .after = measurements(&j, 1),
		.block_size = { event->files[before->files[0]].block_size * j.joined,
				event->files[after->files[0]].block_size * j.joined },
	};
	return j.runs ? judge_runs(&j, rows, nr, options, ret) :
			judge_rows(&j, rows, nr, options, ret);
}
