/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock for measuring waits, which nobody can set.
 */
#ifndef KTRACE_LIB_MONOTONIC_H
#define KTRACE_LIB_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* Returns CLOCK_MONOTONIC in whole milliseconds. */
static inline uint64_t monotonic_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

#endif
