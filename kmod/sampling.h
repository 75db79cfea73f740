/* SPDX-License-Identifier: GPL-2.0 */
/* Some records for all: those that are stored carry the weight of the others. */
#ifndef KTRACE_SAMPLING_H
#define KTRACE_SAMPLING_H

#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <asm/local.h>

#include "clock.h"

/* What may come at once, as the time that it stands for. */
#define KTRACE_SAMPLING_BURST_NS	(NSEC_PER_SEC / 10)

/* Of an event. */
struct ktrace_sampling {
	u32 every;			/* one of so many; 0, 1: each */
	u32 interval_ns;		/* one in this time, on average; 0: any number */
};

/* Of an event on one CPU, written by that CPU's contexts only. */
struct ktrace_sampling_cpu {
	local_t seen;			/* if one of so many is stored */
	local_t weight;			/* the periods of those left out */
	u64 due;			/* when the next one is, at the average rate */
};

static inline void ktrace_sampling_init(struct ktrace_sampling_cpu *sc)
{
	local_set(&sc->seen, 0);
	local_set(&sc->weight, 0);
	sc->due = 0;
}

/*
 * Is one with this period to be stored?  Then the weight of those before it is
 * added to *period; else its own is kept for the next.  Each is counted once,
 * however contexts nest.
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

/* One that was taken was not stored: the next one carries what it carried. */
static __always_inline void ktrace_sampling_return(struct ktrace_sampling_cpu *sc, u64 weight)
{
	local_add(weight, &sc->weight);
}

#endif
