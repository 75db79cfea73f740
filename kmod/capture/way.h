/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the samples of an event are made: choose.c chooses it by what user space has asked for, so
 * that a sample asks one question at each step.
 *
 * A sample is plain if it has no trailer, no call chain and the whole layout, is not a trigger, and
 * is neither sampled nor decided late.  Each step has a shortcut for it, and for a few that are
 * plain but for one thing, where no other sample is being made on the CPU, the task's state is
 * usual (entry.h), the ring has room, and no earlier loss is to be reported (ledger.h).
 */
#ifndef KTRACE_WAY_H
#define KTRACE_WAY_H

#include <linux/compiler.h>
#include <linux/types.h>

/* These are bytes, which the compiler compares in place. */

/* When a filter or the sampling decides whether a sample is wanted. */
enum ktrace_way_when {
	KTRACE_WAY_NEVER,		/* there is none */
	/*
	 * Before the fields are assigned: filters that do not look at the raw data, and sampling
	 * where no other filter comes first.  Only template probes do so; kernel counters have
	 * the fields in any case.
	 */
	KTRACE_WAY_EARLY,
	KTRACE_WAY_LATE,		/* once they are assigned */
} __packed;

/* How a template probe begins a sample that is not plain. */
enum ktrace_way_begin {
	KTRACE_BEGIN_ASKING,		/* no shortcut */
	KTRACE_BEGIN_SAMPLED,		/* its sampling alone decides early */
	KTRACE_BEGIN_FILTERED,		/* its filter alone does */
	KTRACE_BEGIN_COMPACT,		/* plain but for its layout */
	KTRACE_BEGIN_SCRATCH,		/* plain but for its call chain, or judged */
} __packed;

/* How a template probe ends a sample. */
enum ktrace_way_end {
	KTRACE_END_PLAIN,		/* plain, maybe decided early by a filter */
	KTRACE_END_TRAILER,		/* likewise, but for a trailer where nothing is counted */
	KTRACE_END_CHAIN,		/* plain but for its call chain */
	KTRACE_END_COMPACT,		/* plain but for its layout */
	KTRACE_END_COUNTED,		/* counted, by its own fields alone */
	KTRACE_END_JUDGED,		/* judged by machines, and not stored */
	KTRACE_END_COUNTED_CHAIN,	/* by call chains, too */
	KTRACE_END_SLOW,		/* no shortcut */
} __packed;

/* What becomes of a sample that is wanted, once its raw data is there. */
enum ktrace_way_goal {
	KTRACE_GOAL_STORE,
	KTRACE_GOAL_STORE_SAMPLED,	/* with the weight of those that were left out */
	KTRACE_GOAL_STORE_CHAIN,	/* with a call chain, and perhaps sampled, too */
	KTRACE_GOAL_COUNT,		/* by its key (counting.h); it is not stored */
	KTRACE_GOAL_JUDGE,		/* by machines (judge.h); it is stored before, or not */
} __packed;

struct ktrace_way {
	enum ktrace_way_when filtered, sampled;
	enum ktrace_way_begin begin;
	enum ktrace_way_end end;
	enum ktrace_way_goal goal;
	/* Template probes assign the fields in scratch memory, because more is to be done first. */
	bool in_scratch;
};

#endif
