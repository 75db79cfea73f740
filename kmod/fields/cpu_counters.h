/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters of each CPU's PMU.  They count everything that the CPU executes, in tasks,
 * interrupts and the kernel.  All sessions share one counter of each kind and CPU.
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

/* A value of a counter of this CPU. */
struct ktrace_cpu_count {
	u64 value;
	u32 epoch;	/* from 1 on; values of different epochs come from different counters */
};

static inline u64 ktrace_cpu_counter_field(enum ktrace_cpu_counter which)
{
	return which == KTRACE_CPU_COUNTER_CYCLES ? BIT_ULL(KTRACE_FIELD_CYCLES) :
						    BIT_ULL(KTRACE_FIELD_INSTRUCTIONS);
}

/*
 * Starts the counters of @fields, some of KTRACE_CPU_COUNTERS_FIELDS, on all online CPUs, unless
 * they run already.  -EOPNOTSUPP: a CPU does not count this; -EUSERS: others have pinned all
 * counters of a CPU that could; -ENOMEM; -EINTR.  May sleep.
 */
int ktrace_cpu_counters_get(u64 fields);
/* To be called for each successful get, with the same @fields, once its user reads no more. */
void ktrace_cpu_counters_put(u64 fields);

/* To be called after CPUs have come online: counts there, too, in a new epoch.  May sleep. */
void ktrace_cpu_counters_follow(void);

/*
 * Begins to read on this CPU, and disables its interrupts.  Returns false, with nothing done, if
 * the caller has interrupted another reader, which can only happen in an NMI.
 */
bool ktrace_cpu_counters_enter(unsigned long *flags);
void ktrace_cpu_counters_leave(unsigned long flags);
/* Reads a counter in between.  Returns false if it does not run on this CPU. */
bool ktrace_cpu_counters_read(enum ktrace_cpu_counter which, struct ktrace_cpu_count *count);

#endif
