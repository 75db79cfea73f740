/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The steps for an event's samples.  choose.c chooses them once, by user space's request, so that a
 * sample asks one question at each step.
 *
 * A sample is plain if it has no trailer, no call chain and the full layout, is not a trigger, is
 * not sampled, and has no late decision.  Each step has a shortcut for plain samples, and for a few
 * that differ in one thing.  A shortcut needs that no other sample is in progress on the CPU, the
 * task's state is usual (entry.h), the ring has room, and no earlier loss is to be reported
 * (ledger.h).
 */
#ifndef KTRACE_WAY_H
#define KTRACE_WAY_H

#include <linux/compiler.h>
#include <linux/types.h>

/* These are bytes, which the compiler can compare in memory. */

/* When a filter or the sampling decides whether a sample is wanted. */
enum ktrace_way_when {
	KTRACE_WAY_NEVER,		/* there is none */
	/*
	 * Before the fields are assigned: filters that do not read the raw data, and sampling
	 * without a later filter.  Only template probes do so; kernel counters have the fields in
	 * any case.
	 */
	KTRACE_WAY_EARLY,
	KTRACE_WAY_LATE,		/* once they are assigned */
} __packed;

/* The beginning of a template probe's sample that is not plain. */
enum ktrace_way_begin {
	KTRACE_BEGIN_ASKING,		/* no shortcut */
	KTRACE_BEGIN_SAMPLED,		/* only sampling decides early */
	KTRACE_BEGIN_FILTERED,		/* only a filter decides early */
	KTRACE_BEGIN_COMPACT,		/* plain except for its layout */
	KTRACE_BEGIN_SCRATCH,		/* plain except for its call chain, or judged */
} __packed;

/* The end of a template probe's sample. */
enum ktrace_way_end {
	KTRACE_END_PLAIN,		/* plain, maybe after an early decision of a filter */
	KTRACE_END_TRAILER,		/* the same with a trailer, without counted fields */
	KTRACE_END_CHAIN,		/* plain except for its call chain */
	KTRACE_END_COMPACT,		/* plain except for its layout */
	KTRACE_END_COUNTED,		/* counted, by its own fields alone */
	KTRACE_END_JUDGED,		/* judged by machines, and not stored */
	KTRACE_END_COUNTED_CHAIN,	/* counted, also by call chains */
	KTRACE_END_SLOW,		/* no shortcut */
} __packed;

/* The use of a wanted sample, once its raw data is complete. */
enum ktrace_way_goal {
	KTRACE_GOAL_STORE,
	KTRACE_GOAL_STORE_SAMPLED,	/* with the weight of the omitted samples */
	KTRACE_GOAL_STORE_CHAIN,	/* with a call chain, and perhaps sampled, too */
	KTRACE_GOAL_COUNT,		/* by its key (counting.h); it is not stored */
	KTRACE_GOAL_JUDGE,		/* by machines (judge.h); it may be stored before */
} __packed;

struct ktrace_way {
	enum ktrace_way_when filtered, sampled;
	enum ktrace_way_begin begin;
	enum ktrace_way_end end;
	enum ktrace_way_goal goal;
	/* Template probes assign the fields in scratch memory, because other steps come first. */
	bool in_scratch;
};

#endif
