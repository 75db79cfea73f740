/* SPDX-License-Identifier: GPL-2.0 */
/* Sampling: the stored samples stand for all, and carry the weight (periods) of omitted ones. */
#ifndef KTRACE_SAMPLING_H
#define KTRACE_SAMPLING_H

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <asm/local.h>

#include "lib/clock.h"

/* The most samples that may come at once, as the time that they stand for. */
#define KTRACE_SAMPLING_BURST_NS	(NSEC_PER_SEC / 10)

/* The sampling of an event. */
struct ktrace_sampling {
	u32 every;			/* store one of this number; 0, 1: every one */
	u32 interval_ns;		/* store one in this time, on average; 0: no limit */
};

/* The state of a sampling on one CPU.  Only contexts of that CPU write it. */
struct ktrace_sampling_cpu {
	/*
	 * If `every` is set: each sample subtracts 1, and a sample that finds it below 0 is stored
	 * and adds `every`.
	 */
	local_t left;
	local_t weight;			/* sum of the periods of omitted samples */
	u64 due;			/* when the next one may be stored, at the average rate */
	/* In jiffies: before this, none may be stored, so that the clock need not be read. */
	unsigned long pause_end;
};

static inline void ktrace_sampling_init(const struct ktrace_sampling *sampling,
					struct ktrace_sampling_cpu *sc)
{
	local_set(&sc->left, (long)sampling->every - 1);
	local_set(&sc->weight, 0);
	sc->due = 0;
	sc->pause_end = jiffies;
}

/* Does the rate permit to store a sample now? */
static noinline notrace bool __maybe_unused
ktrace_sampling_is_due(const struct ktrace_sampling *sampling, struct ktrace_sampling_cpu *sc)
{
	u64 now = ktrace_clock_read(CLOCK_MONOTONIC), due = max(READ_ONCE(sc->due), now), early;

	if (due - now > KTRACE_SAMPLING_BURST_NS) {
		/* The current jiffy may end at once, so it does not count. */
		early = due - now - KTRACE_SAMPLING_BURST_NS;
		WRITE_ONCE(sc->pause_end, jiffies + div_u64(early, TICK_NSEC));
		return false;
	}
	WRITE_ONCE(sc->due, due + sampling->interval_ns);
	return true;
}

/*
 * The fast check: omits a sample that is certainly not to be stored, and keeps its period.
 * If it returns false, ktrace_sampling_takes_turn() decides.
 */
static __always_inline bool ktrace_sampling_passes_over(const struct ktrace_sampling *sampling,
							struct ktrace_sampling_cpu *sc, u64 period)
{
	if (sampling->every > 1) {
		if (unlikely(local_add_negative(-1, &sc->left)))
			return false;
	} else if ((long)(jiffies - READ_ONCE(sc->pause_end)) >= 0) {
		return false;
	}
	local_add(period, &sc->weight);
	return true;
}

/*
 * Decides about a sample that was not passed over.  If it is not to be stored, keeps its period.
 * Contexts that have interrupted it since may have taken its turn, so that one of any `every`
 * samples is stored.
 */
static noinline notrace bool __maybe_unused
ktrace_sampling_takes_turn(const struct ktrace_sampling *sampling, struct ktrace_sampling_cpu *sc,
			   u64 period)
{
	bool wanted = true;
	long left, seen;

	if (sampling->every > 1) {
		for (left = local_read(&sc->left); left < 0; left = seen) {
			seen = local_cmpxchg(&sc->left, left, left + sampling->every);
			if (seen == left)
				break;
		}
		wanted = left < 0;
	}
	if (wanted && sampling->interval_ns)
		wanted = ktrace_sampling_is_due(sampling, sc);
	if (!wanted)
		local_add(period, &sc->weight);
	return wanted;
}

/*
 * Is a sample with this period to be stored?  If not, keeps its period for the next one.  To be
 * called once for each sample, at any time before it is stored.
 */
static __always_inline bool ktrace_sampling_wants(const struct ktrace_sampling *sampling,
						  struct ktrace_sampling_cpu *sc, u64 period)
{
	return !ktrace_sampling_passes_over(sampling, sc, period) &&
	       ktrace_sampling_takes_turn(sampling, sc, period);
}

/*
 * Takes the weight of the omitted samples, which a stored sample adds to its period.  So each
 * period is counted once, however contexts nest.
 */
static __always_inline u64 ktrace_sampling_take_weight(struct ktrace_sampling_cpu *sc)
{
	return local_xchg(&sc->weight, 0);
}

/*
 * To be called when a wanted sample could not be stored: the next sample carries the @weight
 * instead.
 */
static __always_inline void ktrace_sampling_return(struct ktrace_sampling_cpu *sc, u64 weight)
{
	local_add(weight, &sc->weight);
}

#endif
