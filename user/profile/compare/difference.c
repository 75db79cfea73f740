// SPDX-License-Identifier: GPL-2.0
#include "profile/compare/difference.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "profile/compare/student.h"

#define LEVEL		0.05
#define INTEREST	0.05
#define CONFIDENCE	0.95
/* The probability of noticing a detectable change, as the argument of student_quantile(). */
#define POWER_TWO_SIDED	(2 * (1 - 0.8))
#define RELABELINGS	400
/* The limit of stored t; with more rows, fewer relabelings are as good. */
#define NULL_MAX	2000000
/* A variance below this part of the variance of all measurements is a rounding error. */
#define ROUNDING	1e-12

struct mean {
	double sum, squares;
	size_t nr;
};

struct welch {
	double change, error, freedom;
};

static double mean_of(const struct mean *m)
{
	return m->nr ? m->sum / m->nr : 0;
}

/* The variance of the mean; @scale is the variance of all measurements. */
static double variance_of_mean(const struct mean *m, double scale)
{
	double variance = (m->squares - m->sum * m->sum / m->nr) / (m->nr - 1);

	return variance > scale * ROUNDING ? variance / m->nr : 0;
}

/* Both groups have at least two measurements. */
static struct welch welch_of(const struct mean *before, const struct mean *after, double scale)
{
	double a = variance_of_mean(before, scale), b = variance_of_mean(after, scale);
	struct welch w = { .change = mean_of(after) - mean_of(before), .error = sqrt(a + b) };

	w.freedom = a + b > 0 ? (a + b) * (a + b) / (a * a / (before->nr - 1) +
						     b * b / (after->nr - 1)) :
				before->nr + after->nr - 2;
	return w;
}

static double welch_t(const struct welch *w)
{
	if (w->error > 0)
		return w->change / w->error;
	return w->change ? copysign(INFINITY, w->change) : 0;
}

/* A mean of zeros is 0, although the mean of all was subtracted before. */
static double without_rounding(double mean, double center)
{
	return fabs(mean) > ROUNDING * fabs(center) ? mean : 0;
}

static void mean_add(struct mean *m, double value)
{
	m->sum += value;
	m->squares += value * value;
	m->nr++;
}

static double difference_level(const struct difference_options *options)
{
	return options->level ? options->level : LEVEL;
}

/* Set the members that depend only on the two groups. */
static struct welch difference_begin(const struct mean *before, const struct mean *after,
				     double center, double scale, struct difference *d)
{
	struct welch w = { .freedom = 1 };
	double half;

	*d = (struct difference){
		.before = before->nr ? without_rounding(center + mean_of(before), center) : 0,
		.after = after->nr ? without_rounding(center + mean_of(after), center) : 0,
		.low = NAN, .high = NAN, .detectable = NAN, .p = 1, .q = 1,
	};
	d->change = d->after - d->before;
	if (before->nr < 2 || after->nr < 2)
		return w;
	w = welch_of(before, after, scale);
	half = student_quantile(1 - CONFIDENCE, w.freedom) * w.error;
	d->change = w.change;
	d->low = w.change - half;
	d->high = w.change + half;
	d->t = welch_t(&w);
	d->p = d->q = student_two_sided(d->t, w.freedom);
	return w;
}

/* @t: a change of this many standard errors is significant. */
static void difference_judge(struct difference *d, const struct welch *w, double t,
			     const struct difference_options *options)
{
	double interest = options->interest ? options->interest : INTEREST;

	if (isnan(d->low))
		return;
	d->detectable = (t + student_quantile(POWER_TWO_SIDED, w->freedom)) * w->error;
	if (d->q <= difference_level(options))
		d->verdict = d->change > 0 ? DIFFERENCE_MORE : DIFFERENCE_LESS;
	else if (d->detectable <= interest * fabs(d->before))
		d->verdict = DIFFERENCE_NONE;
}

/* The mean of all measurements, which is subtracted because it would only add rounding errors. */
static double center_of(const double *before, size_t nr_before, const double *after,
			size_t nr_after)
{
	double sum = 0;

	for (size_t i = 0; i < nr_before; i++)
		sum += before[i];
	for (size_t i = 0; i < nr_after; i++)
		sum += after[i];
	return nr_before + nr_after ? sum / (nr_before + nr_after) : 0;
}

static double scale_of(const struct mean *before, const struct mean *after)
{
	size_t nr = before->nr + after->nr;

	return nr ? (before->squares + after->squares) / nr : 0;
}

void difference_of(const double *before, size_t nr_before, const double *after, size_t nr_after,
		   const struct difference_options *options, struct difference *ret)
{
	double center = center_of(before, nr_before, after, nr_after);
	struct mean a = { 0 }, b = { 0 };
	struct welch w;

	for (size_t i = 0; i < nr_before; i++)
		mean_add(&a, before[i] - center);
	for (size_t i = 0; i < nr_after; i++)
		mean_add(&b, after[i] - center);
	w = difference_begin(&a, &b, center, scale_of(&a, &b), ret);
	difference_judge(ret, &w, student_quantile(difference_level(options), w.freedom), options);
}

struct comparison {
	const double *values;	/* without the mean of each row */
	size_t rows, before, nr;
	double *sums, *squares, *scales;	/* by row, of all measurements */
	struct welch *welch;
	uint32_t *labels;	/* the first `before` items are the columns of the first group */
	size_t relabelings;
	double *null;		/* the t of all rows and relabelings */
	size_t nr_null;
	uint64_t random;
};

/* The generator is splitmix64 with a fixed seed: the same input gives the same results. */
static uint64_t comparison_random(struct comparison *c)
{
	uint64_t z = c->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* Whether a group consists of its own measurements, or of the other group's. */
static bool is_true_labeling(const struct comparison *c)
{
	size_t same = 0;

	for (size_t i = 0; i < c->before; i++)
		same += c->labels[i] < c->before;
	return same == c->before || (!same && c->nr == 2 * c->before);
}

/* With four measurements, two in three labelings differ from the true one, so this ends soon. */
static void relabel(struct comparison *c)
{
	do {
		for (size_t i = 0; i < c->before; i++) {
			size_t j = i + comparison_random(c) % (c->nr - i);
			uint32_t label = c->labels[i];

			c->labels[i] = c->labels[j];
			c->labels[j] = label;
		}
	} while (is_true_labeling(c));
}

static double relabeled_t(const struct comparison *c, size_t row)
{
	const double *values = c->values + row * c->nr;
	struct mean before = { .nr = c->before }, after = { .nr = c->nr - c->before };
	struct welch w;

	for (size_t i = 0; i < c->before; i++) {
		double value = values[c->labels[i]];

		before.sum += value;
		before.squares += value * value;
	}
	after.sum = c->sums[row] - before.sum;
	after.squares = c->squares[row] - before.squares;
	w = welch_of(&before, &after, c->scales[row]);
	return fabs(welch_t(&w));
}

DEFINE_COMPARISON(compare_doubles_descending, double, array_order(*y, *x))

static void comparison_relabel(struct comparison *c)
{
	for (size_t i = 0; i < c->nr; i++)
		c->labels[i] = i;
	for (size_t i = 0; i < c->relabelings; i++) {
		relabel(c);
		for (size_t row = 0; row < c->rows; row++)
			c->null[c->nr_null++] = relabeled_t(c, row);
	}
	qsort(c->null, c->nr_null, sizeof(*c->null), compare_doubles_descending);
}

/* The number of t in @null, which is sorted, that are at least @t. */
static size_t count_at_least(const struct comparison *c, double t)
{
	return array_count_while(c->nr_null, i, c->null[i] >= t);
}

struct ranked {
	double key;		/* the smaller, the more significant */
	size_t row;
};

DEFINE_COMPARISON(compare_ranked, struct ranked, array_order(x->key, y->key) ?:
		  array_order(x->row, y->row))

/*
 * Raise the q of all rows to the estimate by one of the two measures: the number of rows that are
 * expected by chance to look as different, divided by the number that do.
 */
static void raise_q(const struct comparison *c, struct ranked *ranked, bool by_relabeling,
		    struct difference *ret)
{
	double q = 1;

	for (size_t row = 0; row < c->rows; row++)
		ranked[row] = (struct ranked){
			.key = by_relabeling ? -fabs(ret[row].t) : ret[row].p, .row = row,
		};
	qsort(ranked, c->rows, sizeof(*ranked), compare_ranked);
	for (size_t i = c->rows; i-- > 0; ) {
		struct difference *d = &ret[ranked[i].row];
		double expected = by_relabeling ?
			(double)count_at_least(c, fabs(d->t)) / c->relabelings : d->p * c->rows;

		q = fmin(q, expected / (i + 1));
		d->q = fmax(d->q, q);
	}
}

/* The t that one more row would need to be called different. */
static double needed_t(const struct comparison *c, const struct welch *w, size_t found,
		       double level)
{
	double allowed = level * (found + 1);
	double by_student = student_quantile(fmin(allowed / c->rows, level), w->freedom);
	size_t at = allowed * c->relabelings;
	double by_relabeling = at < c->nr_null ? c->null[at] : 0;

	return isfinite(by_relabeling) ? fmax(by_student, by_relabeling) : by_student;
}

static void comparison_judge(struct comparison *c, struct ranked *ranked,
			     const struct difference_options *options, struct difference *ret)
{
	double level = difference_level(options);
	size_t found = 0;

	raise_q(c, ranked, false, ret);
	raise_q(c, ranked, true, ret);
	for (size_t row = 0; row < c->rows; row++)
		found += ret[row].q <= level;
	for (size_t row = 0; row < c->rows; row++)
		difference_judge(&ret[row], &c->welch[row],
				 needed_t(c, &c->welch[row], found, level), options);
}

struct error *differences_of(const double *values, size_t rows, size_t nr_before,
			     size_t nr_after, const struct difference_options *options,
			     struct difference *ret)
{
	size_t nr = nr_before + nr_after, most = NULL_MAX / (rows + 1) + 1;
	size_t relabelings = most < RELABELINGS ? most : RELABELINGS;
	_cleanup_free_ double *centered = calloc(rows * nr + 1, sizeof(double));
	_cleanup_free_ double *sums = calloc(3 * rows + 1, sizeof(double));
	_cleanup_free_ double *null = calloc(rows * relabelings + 1, sizeof(double));
	_cleanup_free_ uint32_t *labels = calloc(nr + 1, sizeof(*labels));
	_cleanup_free_ struct welch *welch = calloc(rows + 1, sizeof(*welch));
	_cleanup_free_ struct ranked *ranked = calloc(rows + 1, sizeof(*ranked));
	struct comparison c = {
		.values = centered, .rows = rows, .before = nr_before, .nr = nr, .sums = sums,
		.squares = sums + rows, .scales = sums + 2 * rows, .welch = welch,
		.labels = labels, .relabelings = relabelings, .null = null,
	};

	if (!centered || !sums || !null || !labels || !welch || !ranked)
		return &error_no_memory;
	for (size_t row = 0; row < rows; row++) {
		const double *from = values + row * nr;
		double center = center_of(from, nr_before, from + nr_before, nr_after);
		struct mean before = { 0 }, after = { 0 };

		for (size_t i = 0; i < nr; i++) {
			double value = from[i] - center;

			centered[row * nr + i] = value;
			mean_add(i < nr_before ? &before : &after, value);
		}
		sums[row] = before.sum + after.sum;
		c.squares[row] = before.squares + after.squares;
		c.scales[row] = scale_of(&before, &after);
		welch[row] = difference_begin(&before, &after, center, c.scales[row], &ret[row]);
	}
	if (nr_before >= 2 && nr_after >= 2)
		comparison_relabel(&c);
	comparison_judge(&c, ranked, options, ret);
	return NULL;
}

const char *difference_word(enum difference_verdict verdict)
{
	static const char *const words[] = {
		[DIFFERENCE_UNKNOWN] = "can't tell", [DIFFERENCE_NONE] = "unchanged",
		[DIFFERENCE_MORE] = "slower", [DIFFERENCE_LESS] = "faster",
	};

	return words[verdict];
}
