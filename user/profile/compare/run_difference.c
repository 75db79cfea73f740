// SPDX-License-Identifier: GPL-2.0
#include "profile/compare/run_difference.h"

#include <math.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "profile/compare/student.h"

#define LEVEL		0.05
#define INTEREST	0.05
#define CONFIDENCE	0.95
#define POWER_TWO_SIDED	(2 * (1 - 0.8))

/* Rows need this many samples per run to be used for estimating the usual variance. */
#define USUAL_SAMPLES	10
#define USUAL_ROWS	5

/* The limit of degrees of freedom. */
#define FREEDOM_MAX	1000

/* A smaller factor is due to chance. */
#define FACTOR_MIN	0.01

struct run_row {
	double change;		/* of the logarithm */
	double squares[2];	/* of the differences from each side's mean */
	double counted[2];	/* the variance of a count: 1 / samples of a run */
	double mean[2];		/* the shown values */
	double unit;		/* one sample, in the same unit */
	double factor, freedom;
};

/* The usual values of all rows. */
struct run_usual {
	double common;		/* variance in addition to that of counts */
	double factor, freedom;
};

struct run_judging {
	const struct run_counts *counts;
	struct run_row *rows;
	double *totals;			/* 100 percent of shares, by run */
	double scale;			/* unit of the shown values */
	double total_change, total_variance;
};

/* Both are for x > 0: first the recurrences, then the asymptotic series. */
static double digamma(double x)
{
	double sum = 0, square;

	for (; x < 6; x++)
		sum -= 1 / x;
	square = 1 / (x * x);
	return sum + log(x) - 1 / (2 * x) -
	       square * (1.0 / 12 - square * (1.0 / 120 - square / 252));
}

static double trigamma(double x)
{
	double sum = 0, square;

	for (; x < 6; x++)
		sum += 1 / (x * x);
	square = 1 / (x * x);
	return sum + 1 / x + square / 2 +
	       square / x * (1.0 / 6 - square * (1.0 / 30 - square / 42));
}

/* It decreases with x, so bisection finds it. */
static double trigamma_inverse(double value)
{
	double low = 1e-3, high = FREEDOM_MAX;

	for (int i = 0; i < 60; i++) {
		double middle = sqrt(low * high);

		if (trigamma(middle) > value)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static size_t side_runs(const struct run_counts *c, int side)
{
	return side ? c->after : c->before;
}

/* Mean and sum of squared differences of the runs of a side. */
static double side_mean(const struct run_counts *c, const double *values, int side,
			double *ret_squares)
{
	const double *from = values + (side ? c->before : 0);
	size_t nr = side_runs(c, side);
	double mean = 0, squares = 0;

	for (size_t i = 0; i < nr; i++)
		mean += from[i] / nr;
	for (size_t i = 0; i < nr; i++)
		squares += (from[i] - mean) * (from[i] - mean);
	if (ret_squares)
		*ret_squares = squares;
	return mean;
}

static bool run_row_begin(const struct run_judging *j, size_t number, double *logs)
{
	const struct run_counts *c = j->counts;
	size_t runs = c->before + c->after;
	const double *costs = c->costs + number * runs, *samples = c->samples + number * runs;
	struct run_row *row = &j->rows[number];
	double cost = 0, count = 0, unit, means[2];

	for (size_t i = 0; i < runs; i++) {
		cost += costs[i];
		count += samples[i];
	}
	unit = count ? cost / count : 0;
	if (unit <= 0)
		return false;
	/* Half a sample more, so that the logarithm exists for rows without samples. */
	for (size_t i = 0; i < runs; i++)
		logs[i] = log((costs[i] + unit / 2) / j->totals[i]);
	for (int side = 0; side < 2; side++) {
		means[side] = side_mean(c, logs, side, &row->squares[side]);
		row->counted[side] = 1 / fmax(side_mean(c, samples, side, NULL), 0.5);
		for (size_t i = 0; i < side_runs(c, side); i++) {
			size_t run = (side ? c->before : 0) + i;

			row->mean[side] += costs[run] / (c->absolute ? j->scale : j->totals[run]) /
					   side_runs(c, side);
		}
	}
	row->change = means[1] - means[0];
	row->unit = unit / j->scale;
	return true;
}

static double run_freedom(const struct run_counts *c)
{
	return c->before + c->after - 2;
}

static bool row_is_usual(const struct run_row *row)
{
	return row->counted[0] <= 1.0 / USUAL_SAMPLES && row->counted[1] <= 1.0 / USUAL_SAMPLES;
}

DEFINE_COMPARISON(compare_variances, double, array_order(*x, *y))

/* The usual variance of rows in addition to that of counts. */
static double find_common(const struct run_judging *j, double *values)
{
	const struct run_counts *c = j->counts;
	size_t nr = 0;

	for (size_t i = 0; i < c->rows; i++) {
		const struct run_row *row = &j->rows[i];
		double counted = ((c->before - 1) * row->counted[0] +
				  (c->after - 1) * row->counted[1]) / run_freedom(c);

		if (row_is_usual(row))
			values[nr++] = (row->squares[0] + row->squares[1]) / run_freedom(c) -
				       counted;
	}
	if (!nr)
		return 0;
	qsort(values, nr, sizeof(*values), compare_variances);
	return fmax(values[nr / 2], 0);
}

/* Fit the distribution of the rows' factors by the mean and the variance of their logarithms. */
static void find_usual(const struct run_judging *j, double *values, struct run_usual *ret)
{
	double freedom = run_freedom(j->counts), mean = 0, variance = 0, spread;
	size_t nr = 0;

	*ret = (struct run_usual){ .common = find_common(j, values), .factor = 1 };
	for (size_t i = 0; i < j->counts->rows; i++) {
		struct run_row *row = &j->rows[i];

		row->factor = (row->squares[0] / (row->counted[0] + ret->common) +
			       row->squares[1] / (row->counted[1] + ret->common)) / freedom;
		if (row_is_usual(row))
			values[nr++] = log(fmax(row->factor, FACTOR_MIN));
	}
	if (nr < USUAL_ROWS)
		return;
	for (size_t i = 0; i < nr; i++)
		mean += values[i] / nr;
	for (size_t i = 0; i < nr; i++)
		variance += (values[i] - mean) * (values[i] - mean) / (nr - 1);
	mean -= digamma(freedom / 2) - log(freedom / 2);
	spread = variance - trigamma(freedom / 2);
	ret->freedom = spread > 0 ? fmin(2 * trigamma_inverse(spread), FREEDOM_MAX) : FREEDOM_MAX;
	mean += digamma(ret->freedom / 2) - log(ret->freedom / 2);
	/* No count varies less than by chance. */
	ret->factor = fmax(exp(mean), 1);
}

/* The standard error of a row's change, and its degrees of freedom. */
static double row_error(const struct run_judging *j, const struct run_usual *usual,
			struct run_row *row)
{
	const struct run_counts *c = j->counts;
	double freedom = run_freedom(c), factor, own, whole;

	factor = (usual->freedom * usual->factor + freedom * row->factor) /
		 (usual->freedom + freedom);
	/* A single row may seem to vary less than counts do. */
	factor = usual->freedom ? factor : fmax(factor, 1);
	own = factor * ((row->counted[0] + usual->common) / c->before +
			(row->counted[1] + usual->common) / c->after);
	row->freedom = fmin(usual->freedom + freedom, FREEDOM_MAX);
	if (!c->absolute)
		return sqrt(own);
	row->change += j->total_change;
	whole = own + j->total_variance;
	row->freedom = whole * whole / (own * own / row->freedom +
					j->total_variance * j->total_variance / freedom);
	return sqrt(whole);
}

struct run_rank {
	double p;
	size_t row;
};

DEFINE_COMPARISON(compare_ranks, struct run_rank, array_order(x->p, y->p) ?:
		  array_order(x->row, y->row))

/* The part of the rows with this p, or a smaller one, that is expected by chance. */
static size_t find_q(struct run_rank *ranks, size_t nr, double level, struct difference *ret)
{
	size_t found = 0;
	double q = 1;

	if (nr)
		qsort(ranks, nr, sizeof(*ranks), compare_ranks);
	for (size_t i = nr; i-- > 0; ) {
		q = fmin(q, ranks[i].p * nr / (i + 1));
		ret[ranks[i].row].q = q;
		found += q <= level;
	}
	return found;
}

static void row_judge(const struct run_row *row, double error, double allowed,
		      const struct difference_options *options, struct difference *d)
{
	double interest = options->interest ? options->interest : INTEREST;
	double level = options->level ? options->level : LEVEL;
	double half = student_quantile(1 - CONFIDENCE, row->freedom) * error;
	double shows = student_quantile(allowed, row->freedom) +
		       student_quantile(POWER_TWO_SIDED, row->freedom);
	/* A row without samples before has at most half a sample. */
	double before = fmax(d->before, row->unit / 2);

	d->low = before * (exp(row->change - half) - 1);
	d->high = before * (exp(row->change + half) - 1);
	d->detectable = before * (exp(fmin(shows * error, 50)) - 1);
	if (d->q <= level)
		d->verdict = row->change > 0 ? DIFFERENCE_MORE : DIFFERENCE_LESS;
	else if (d->detectable <= interest * d->before)
		d->verdict = DIFFERENCE_NONE;
}

static struct error *run_judge(const struct run_judging *j,
			       const struct difference_options *options, struct difference *ret)
{
	size_t rows = j->counts->rows, nr = 0, found;
	_cleanup_free_ double *values = calloc(rows + 1, sizeof(*values));
	_cleanup_free_ double *errors = calloc(rows + 1, sizeof(*errors));
	_cleanup_free_ struct run_rank *ranks = calloc(rows + 1, sizeof(*ranks));
	double level = options->level ? options->level : LEVEL;
	struct run_usual usual;

	if (!values || !errors || !ranks)
		return &error_no_memory;
	find_usual(j, values, &usual);
	for (size_t i = 0; i < rows; i++) {
		struct run_row *row = &j->rows[i];
		struct difference *d = &ret[i];

		*d = (struct difference){
			.before = row->mean[0], .after = row->mean[1],
			.change = row->mean[1] - row->mean[0],
			.low = NAN, .high = NAN, .detectable = NAN, .p = 1, .q = 1,
		};
		if (!row->unit)
			continue;
		errors[i] = row_error(j, &usual, row);
		d->t = row->change / errors[i];
		d->p = student_two_sided(d->t, row->freedom);
		ranks[nr++] = (struct run_rank){ d->p, i };
	}
	found = find_q(ranks, nr, level, ret);
	for (size_t i = 0; i < rows; i++)
		if (j->rows[i].unit)
			row_judge(&j->rows[i], errors[i],
				  fmin(level * (found + 1) / nr, level), options, &ret[i]);
	return NULL;
}

struct error *run_differences_of(const struct run_counts *counts,
				 const struct difference_options *options,
				 struct difference *ret)
{
	size_t runs = counts->before + counts->after;
	_cleanup_free_ struct run_row *rows = calloc(counts->rows + 1, sizeof(*rows));
	_cleanup_free_ double *totals = calloc(runs, sizeof(*totals));
	_cleanup_free_ double *logs = calloc(runs, sizeof(*logs));
	struct run_judging j = { .counts = counts, .rows = rows, .totals = totals };
	double squares[2], means[2];

	if (!rows || !totals || !logs)
		return &error_no_memory;
	for (size_t i = 0; i < runs; i++) {
		/* A run without counts has no shares. */
		totals[i] = counts->totals[i] > 0 ? counts->totals[i] : 1;
		logs[i] = log(totals[i]);
	}
	for (int side = 0; side < 2; side++)
		means[side] = side_mean(counts, logs, side, &squares[side]);
	j.total_change = means[1] - means[0];
	j.total_variance = (squares[0] + squares[1]) / run_freedom(counts) *
			   (1.0 / counts->before + 1.0 / counts->after);
	j.scale = side_mean(counts, totals, 0, NULL);
	for (size_t i = 0; i < counts->rows; i++)
		run_row_begin(&j, i, logs);
	return run_judge(&j, options, ret);
}
