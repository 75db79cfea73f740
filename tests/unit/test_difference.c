// SPDX-License-Identifier: GPL-2.0
/* Verdicts on whether two groups of measurements differ. */
#include "profile/compare/difference.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/array.h"
#include "profile/compare/student.h"
#include "chance.h"
#include "tap.h"

static const struct difference_options usual;

static bool is_near(double got, double want)
{
	return fabs(got - want) <= 1e-4 * fabs(want);
}

/* From the tables of the distribution that every book of statistics has. */
TEST(test_student)
{
	static const struct { double t, freedom, p; } table[] = {
		{ 12.706, 1, 0.05 }, { 4.3027, 2, 0.05 }, { 2.2281, 10, 0.05 },
		{ 1.9600, 1e6, 0.05 }, { 63.657, 1, 0.01 }, { 3.1693, 10, 0.01 },
		{ 5.2076, 9, 0.00056 }, { 0.6998, 10, 0.5 },
	};

	about("Student's distribution");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		double p = student_two_sided(table[i].t, table[i].freedom);

		ok(fabs(p - table[i].p) < 0.002 * table[i].p + 1e-6,
		   "t = %g with %g degrees of freedom has p = %g", table[i].t, table[i].freedom,
		   table[i].p);
		ok(is_near(student_quantile(p, table[i].freedom), table[i].t),
		   "p = %g with %g degrees of freedom gives t back", table[i].p, table[i].freedom);
	}
	ok(student_two_sided(0, 5) == 1, "t = 0 is expected always");
	ok(student_two_sided(INFINITY, 5) == 0, "an infinite t is expected never");
	ok(student_two_sided(-2, 5) == student_two_sided(2, 5), "both sides are alike");
	ok(student_two_sided(1e200, 1e-3) >= 0 && student_two_sided(1e-200, 1e300) <= 1,
	   "extreme numbers give probabilities");
	about_nothing();
}

TEST(test_one)
{
	/* t and p were computed by numpy, p by integrating the density. */
	static const double a[] = { 27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6,
				    23.1, 19.6, 19.0, 21.7, 21.4 };
	static const double b[] = { 27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2,
				    21.9, 22.1, 22.9, 30.5, 24.4 };
	static const double exact[] = { 100, 100, 100 }, more[] = { 101, 101, 101 };
	static const double nothing[16], all[13] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const double wide[] = { 50, 150, 100, 80 };
	struct difference d;

	about("two groups with noise");
	difference_of(a, 15, b, 15, &usual, &d);
	ok(is_near(d.before, 20.82) && is_near(d.after, 23.6533333), "their means");
	ok(fabs(d.t - 2.85295) < 0.0001, "Welch's t, got %g", d.t);
	ok(fabs(d.p - 0.00807194) < 1e-6, "its p, got %g", d.p);
	ok(d.low > 0 && d.low < d.change && d.change < d.high && d.verdict == DIFFERENCE_MORE,
	   "the second one is slower, and the interval does not contain 0");
	difference_of(b, 15, a, 15, &usual, &d);
	ok(d.verdict == DIFFERENCE_LESS && d.high < 0, "the other way round it is faster");
	difference_of(wide, 4, wide, 4, &usual, &d);
	ok(d.verdict == DIFFERENCE_UNKNOWN && d.change == 0 && d.detectable > 50,
	   "a value that varies by half has no verdict, and would have shown only from %g on",
	   d.detectable);

	about("groups without noise");
	difference_of(exact, 3, exact, 3, &usual, &d);
	ok(d.verdict == DIFFERENCE_NONE && d.p == 1 && d.detectable == 0,
	   "equal ones are unchanged, and any change would have shown");
	difference_of(exact, 3, more, 3, &usual, &d);
	ok(d.verdict == DIFFERENCE_MORE && d.change == 1 && d.low == 1 && d.high == 1,
	   "one instruction more is slower");

	difference_of(nothing, 16, all, 13, &usual, &d);
	ok(d.before == 0 && d.verdict == DIFFERENCE_MORE, "a value that was not there before was exactly 0");

	about("groups that are too small");
	difference_of(exact, 1, more, 3, &usual, &d);
	ok(d.verdict == DIFFERENCE_UNKNOWN && isnan(d.detectable) && isnan(d.low) && d.q == 1 &&
	   d.before == 100 && d.after == 101, "one measurement gives means, but no noise");
	difference_of(exact, 0, more, 0, &usual, &d);
	ok(d.verdict == DIFFERENCE_UNKNOWN && d.before == 0 && d.after == 0, "none tell nothing");
	about_nothing();

	difference_of(a, 15, b, 15, &(struct difference_options){ .level = 0.001 }, &d);
	ok(d.verdict == DIFFERENCE_UNKNOWN, "a stricter level calls fewer things different");
	difference_of(a, 15, a, 15, &(struct difference_options){ .interest = 0.5 }, &d);
	ok(d.verdict == DIFFERENCE_NONE, "the smallest change of interest decides what is unchanged");
	is_str(difference_word(DIFFERENCE_UNKNOWN), "can't tell", "the word for not knowing");
}

#define ROWS	200
#define BLOCKS	100
#define SAMPLES	5000	/* of a block */

/* The shares of the functions of a program, whose sizes fall as they do in real programs. */
static void make_pair(double *values, double planted)
{
	double weights[ROWS], total = 0;

	for (size_t row = 0; row < ROWS; row++)
		total += weights[row] = 1 / (row + 3.0);
	for (size_t i = 0; i < 2 * BLOCKS; i++) {
		for (size_t row = 0; row < ROWS; row++) {
			double share = weights[row] / total;

			if (row == 1 && i >= BLOCKS)
				share *= planted;
			share += normal() * sqrt(share / SAMPLES);
			values[row * 2 * BLOCKS + i] = share < 0 ? 0 : share;
		}
	}
}

TEST(test_many)
{
	static double values[ROWS * 2 * BLOCKS];
	static struct difference got[ROWS], again[ROWS];
	size_t clean = 0, found = 0, wrong = 0, told = 0, naive = 0;

	for (size_t pair = 0; pair < 20; pair++) {
		size_t different = 0;

		state = pair;
		make_pair(values, 1);
		if (differences_of(values, ROWS, BLOCKS, BLOCKS, &usual, got))
			abort();
		for (size_t row = 0; row < ROWS; row++) {
			different += got[row].verdict >= DIFFERENCE_MORE;
			naive += got[row].p <= 0.05;
		}
		clean += !different;
		told += got[0].verdict == DIFFERENCE_NONE;

		make_pair(values, 1.05);
		if (differences_of(values, ROWS, BLOCKS, BLOCKS, &usual, got))
			abort();
		found += got[1].verdict == DIFFERENCE_MORE;
		for (size_t row = 0; row < ROWS; row++)
			wrong += row != 1 && got[row].verdict >= DIFFERENCE_MORE;
	}
	ok(clean >= 19, "of 20 identical pairs, %zu have no row that differs", clean);
	ok(naive > 20, "without regard to the number of rows, %zu would have differed", naive);
	ok(found >= 19, "5 %% more in a function of 5 %% are found in %zu of 20 pairs", found);
	ok(wrong <= 5, "beside it, %zu of 4000 functions are called different", wrong);
	ok(told == 20, "the largest function is called unchanged in %zu of 20 pairs", told);
	ok(got[0].detectable < 0.05 * got[0].before && got[ROWS - 1].detectable >
	   0.05 * got[ROWS - 1].before && got[ROWS - 1].verdict == DIFFERENCE_UNKNOWN,
	   "of the smallest function such a change would not have shown");
	if (differences_of(values, ROWS, BLOCKS, BLOCKS, &usual, again))
		abort();
	ok(!memcmp(got, again, sizeof(got)), "the same input gives the same results");
}

TEST(test_few_runs)
{
	/* Three runs each; the second quantity has changed. */
	static const double values[] = {
		10.0, 10.2, 9.9, 10.1, 10.0, 9.9,
		50.1, 50.0, 49.9, 60.0, 60.1, 60.2,
		5, 5, 5, 5, 5, 5,
	};
	struct difference got[3];

	if (differences_of(values, 3, 3, 3, &usual, got))
		abort();
	ok(got[0].verdict == DIFFERENCE_NONE && got[1].verdict == DIFFERENCE_MORE &&
	   got[2].verdict == DIFFERENCE_NONE, "three runs of each are enough for a large change");
	if (differences_of(values, 3, 1, 5, &usual, got))
		abort();
	ok(got[1].verdict == DIFFERENCE_UNKNOWN && isnan(got[1].detectable),
	   "one run before is not enough");
	ok(!differences_of(values, 0, 3, 3, &usual, got), "no rows are no error");
}

TAP_MAIN
