/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sampling: some samples are stored for all, and carry the weight (the periods) of the
 * others.
 */
#ifndef KTRACE_SAMPLING_H
#define KTRACE_SAMPLING_H

#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <asm/local.h>

#include "clock.h"

/* How many samples may come at once, as the time that they stand for. */
#define KTRACE_SAMPLING_BURST_NS	(NSEC_PER_SEC / 10)

/* The sampling of an event. */
struct ktrace_sampling {
	u32 every;			/* store one of so many; 0, 1: every one */
	u32 interval_ns;		/* store one in this time, on average; 0: no limit */
};

/* Its state on one CPU, written only by contexts of that CPU. */
struct ktrace_sampling_cpu {
	local_t seen;			/* samples seen, where `every` is set */
	local_t weight;			/* sum of the periods of those left out */
	u64 due;			/* when the next one may be stored, at the average rate */
};

static inline void ktrace_sampling_init(struct ktrace_sampling_cpu *sc)
{
	local_set(&sc->seen, 0);
	local_set(&sc->weight, 0);
	sc->due = 0;
}

/*
 * Is a sample with this period to be stored?  If so, adds the weight of those left out
 * before it to *period; otherwise keeps its period for the next one.  Each period is
 * counted once, however contexts nest.
 */
static __always_inline bool ktrace_sampling_take(const struct ktrace_sampling *sampling,
						 struct ktrace_sampling_cpu *sc, u64 *period)
{
	u64 now, due;

	if (sampling->every > 1 &&
	    (unsigned long)local_inc_return(&sc->seen) % sampling->every)
		goto left_out;
	if (sampling->interval_ns) {
		now = ktrace_clock_read(CLOCK_MONOTONIC);
		due = max(READ_ONCE(sc->due), now) + sampling->interval_ns;
		if (due - now > KTRACE_SAMPLING_BURST_NS + sampling->interval_ns)
			goto left_out;
		WRITE_ONCE(sc->due, due);
	}
	*period += local_xchg(&sc->weight, 0);
	return true;

left_out:
	local_add(*period, &sc->weight);
	return false;
}

/*
 * To be called when a sample that was taken could not be stored: the next one carries the
 * @weight that this one carried.
 */
static __always_inline void ktrace_sampling_return(struct ktrace_sampling_cpu *sc, u64 weight)
{
	local_add(weight, &sc->weight);
}

#endif
