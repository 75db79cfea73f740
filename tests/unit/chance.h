/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers that are the same each time, for tests of statistics. */
#ifndef KTRACE_TESTS_UNIT_CHANCE_H
#define KTRACE_TESTS_UNIT_CHANCE_H

#include <math.h>
#include <stdint.h>

static uint64_t state;	/* a test sets it to begin anew */

/* Between 0 and 1, neither of them. */
static inline double uniform(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return ((state >> 11) + 0.5) / (1ULL << 53);
}

/* Of mean 0 and standard deviation 1. */
static inline double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

#endif
