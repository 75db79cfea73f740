/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the PMU of each CPU counts: all that the CPU executes, in tasks, interrupts and the kernel.
 * All sessions share one counter of a kind and CPU.
 */
#ifndef KTRACE_CPU_COUNTERS_H
#define KTRACE_CPU_COUNTERS_H

#include <linux/bits.h>
#include <linux/types.h>
#include <linux/ktrace.h>

enum ktrace_cpu_counter {
	KTRACE_CPU_COUNTER_CYCLES,
	KTRACE_CPU_COUNTER_INSTRUCTIONS,
	KTRACE_CPU_COUNTER_NR,
};

/* The common fields that are counted, as bits 1 << enum ktrace_field. */
#define KTRACE_CPU_COUNTERS_FIELDS \
	(BIT_ULL(KTRACE_FIELD_CYCLES) | BIT_ULL(KTRACE_FIELD_INSTRUCTIONS))

/* What a counter of this CPU has counted. */
struct ktrace_cpu_count {
	u64 value;
	u32 epoch;	/* from 1 on; values of different epochs are of different counters */
};

static inline u64 ktrace_cpu_counter_field(enum ktrace_cpu_counter which)
{
	return which == KTRACE_CPU_COUNTER_CYCLES ? BIT_ULL(KTRACE_FIELD_CYCLES) :
						    BIT_ULL(KTRACE_FIELD_INSTRUCTIONS);
}

/*
 * Starts the counters of @fields, some of KTRACE_CPU_COUNTERS_FIELDS, on all CPUs that are online,
 * unless somebody else has.  -EOPNOTSUPP: a CPU does not count this; -EUSERS: others have
 * pinned all counters of a CPU that could; -ENOMEM; -EINTR.  May sleep.
 */
int ktrace_cpu_counters_get(u64 fields);
/* To be called for each successful get, with the same @fields, once nobody reads for it. */
void ktrace_cpu_counters_put(u64 fields);

/* CPUs have come online: counts there, too, in a new epoch.  May sleep. */
void ktrace_cpu_counters_follow(void);

/*
 * Begins to read on this CPU, and disables its interrupts.  Returns false, with nothing done, where
 * the caller has interrupted another reader, which can only be in an NMI.
 */
bool ktrace_cpu_counters_enter(unsigned long *flags);
void ktrace_cpu_counters_leave(unsigned long flags);
/* Reads in between.  Returns false if the counter does not run on this CPU. */
bool ktrace_cpu_counters_read(enum ktrace_cpu_counter which, struct ktrace_cpu_count *count);

#endif
