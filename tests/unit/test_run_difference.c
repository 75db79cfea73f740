// SPDX-License-Identifier: GPL-2.0
/*
 * Verdicts on a few runs of made-up programs. They have functions of all sizes. Each varies from
 * run to run by chance and by a part of its own. Some runs are slower as a whole.
 */
#include "profile/compare/run_difference.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "chance.h"
#include "tap.h"

#define ROWS	120
#define RUNS	3
#define PAIRS	40
#define LEVEL	0.01

/* The number of samples where so many are expected. */
static double poisson(double mean)
{
	double product = uniform(), limit = exp(-mean);
	unsigned int nr = 0;

	if (mean > 50)
		return fmax(floor(mean + sqrt(mean) * normal() + 0.5), 0);
	for (; product > limit; nr++)
		product *= uniform();
	return nr;
}

struct program {
	double costs[ROWS * 2 * RUNS], totals[2 * RUNS];
	struct difference found[ROWS];
};

/* @noise: how much functions vary by themselves, at most; @runs: how much whole runs do. */
static void make_program(struct program *p, double samples, double noise, double runs, size_t row,
			 double times)
{
	double weights[ROWS], own[ROWS], all = 0;

	for (size_t i = 0; i < ROWS; i++) {
		all += weights[i] = 1 / (i + 2.0);
		own[i] = noise * uniform();
	}
	for (size_t run = 0; run < 2 * RUNS; run++) {
		double whole = exp(runs * normal());

		p->totals[run] = 0;
		for (size_t i = 0; i < ROWS; i++) {
			double mean = samples * weights[i] / all * whole *
				      exp(own[i] * normal());

			if (i == row && run >= RUNS)
				mean *= times;
			p->costs[i * 2 * RUNS + run] = poisson(mean);
			p->totals[run] += p->costs[i * 2 * RUNS + run];
		}
	}
}

/* How many rows but @row are called different. */
static size_t judge(struct program *p, bool absolute, size_t row)
{
	const struct run_counts counts = {
		.costs = p->costs, .samples = p->costs, .totals = p->totals, .rows = ROWS,
		.before = RUNS, .after = RUNS, .absolute = absolute,
	};
	const struct difference_options options = { .level = LEVEL };
	size_t different = 0;

	if (run_differences_of(&counts, &options, p->found))
		abort();
	for (size_t i = 0; i < ROWS; i++)
		different += i != row && p->found[i].verdict >= DIFFERENCE_MORE;
	return different;
}

TEST(test_equal)
{
	static const struct { double samples, noise, runs; } programs[] = {
		{ 5000, 0, 0 }, { 5000, 0.3, 0 }, { 100000, 0.3, 0.1 }, { 3000, 0.1, 0.3 },
		{ 100000, 0.02, 0.02 },
	};
	static struct program p;

	for (size_t k = 0; k < sizeof(programs) / sizeof(*programs); k++)
		for (int absolute = 0; absolute < 2; absolute++) {
			size_t wrong = 0;

			state = k;
			for (size_t pair = 0; pair < PAIRS; pair++) {
				make_program(&p, programs[k].samples, programs[k].noise,
					     programs[k].runs, ROWS, 1);
				wrong += judge(&p, absolute, ROWS) > 0;
			}
			ok(wrong <= PAIRS / 10, "of %d equal pairs of three runs of %.0f samples, "
			   "functions that vary by %.2f and runs by %.2f, %zu have a %s that differs",
			   PAIRS, programs[k].samples, programs[k].noise, programs[k].runs, wrong,
			   absolute ? "cost" : "share");
		}
}

TEST(test_changed)
{
	static struct program p;

	for (int absolute = 0; absolute < 2; absolute++) {
		size_t found = 0, wrong = 0;

		state = 7;
		for (size_t pair = 0; pair < PAIRS; pair++) {
			make_program(&p, 5000, 0.2, 0.05, 1, 1 / 26.0);
			/* Shares of others do change. */
			wrong += absolute ? judge(&p, true, 1) > 0 : judge(&p, false, 1) > ROWS;
			found += p.found[1].verdict == DIFFERENCE_LESS;
		}
		ok(found == PAIRS, "%s: what became 26 times faster is found in %zu of %d pairs",
		   absolute ? "costs" : "shares", found, PAIRS);
		ok(wrong <= PAIRS / 10, "%s: beside it, a function differs in %zu of them",
		   absolute ? "costs" : "shares", wrong);
	}
}

/* The runs of a program whose hottest function was repaired. */
TEST(test_known)
{
	static const double costs[] = {
		1383, 1130, 1176, 51, 51, 36,
		640, 655, 610, 619, 650, 631,
		300, 280, 330, 310, 290, 300,
		90, 110, 95, 100, 94, 105,
		40, 55, 38, 45, 50, 37,
		25, 20, 31, 22, 27, 24,
		0, 0, 0, 300, 280, 310,
		7, 7, 7, 7, 7, 7,
	};
	enum { KNOWN = sizeof(costs) / sizeof(*costs) / 6 };
	double totals[6] = { 0 };
	struct difference found[KNOWN];
	struct run_counts counts = {
		.costs = costs, .samples = costs, .totals = totals, .rows = KNOWN, .before = 3,
		.after = 3, .absolute = true,
	};
	const struct difference_options options = { .level = LEVEL };

	for (size_t i = 0; i < KNOWN * 6; i++)
		totals[i % 6] += costs[i];
	if (run_differences_of(&counts, &options, found))
		abort();
	ok(found[0].verdict == DIFFERENCE_LESS, "1383, 1130, 1176 and 51, 51, 36: faster");
	ok(fabs(found[0].after / found[0].before - 46.0 / 1229.7) < 0.001 &&
	   found[0].low < found[0].change && found[0].change < found[0].high,
	   "by as much as its means differ");
	for (size_t i = 1; i < 6; i++)
		ok(found[i].verdict == DIFFERENCE_UNKNOWN && found[i].detectable > 0.05 *
		   found[i].before, "function %zu may have changed, by less than a visible change", i);
	ok(found[6].verdict == DIFFERENCE_MORE && !found[6].before, "a new function is slower");
	counts.rows = 1;
	if (run_differences_of(&counts, &options, found))
		abort();
	ok(found[0].verdict == DIFFERENCE_LESS, "a single function is found, too");
	counts.rows = 0;
	ok(!run_differences_of(&counts, &options, found), "no rows are no error");
}

TAP_MAIN
