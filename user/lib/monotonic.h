/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times of clocks as numbers.  CLOCK_MONOTONIC is for measuring waits, as nobody can set it.
 */
#ifndef KTRACE_LIB_MONOTONIC_H
#define KTRACE_LIB_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* Returns the time of @clock in ns; 0: there is no such clock. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	return clock_gettime(clock, &ts) ? 0 : ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Returns CLOCK_MONOTONIC in whole milliseconds. */
static inline uint64_t monotonic_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

#endif
