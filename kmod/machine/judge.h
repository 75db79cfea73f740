/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The execution of a machine: firings move its keys, in any context, with preemption disabled and
 * within the guard (probes/ktrace/probe.h).
 *
 * A violation is not certain while a firing with an earlier time may be on its way on another CPU.
 * It waits, in a list of its key, for ktrace_judge_round(), which is called once no such firing is
 * left.  If such a firing comes first, it revokes the violation.
 *
 * A missed firing increments the epoch: keys that were started in an earlier epoch are unknown.  It
 * also has a time.  Verdicts before that time remain certain, and keys cannot start before it.
 */
#ifndef KTRACE_JUDGE_H
#define KTRACE_JUDGE_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/ktrace.h>

#include "filter/filter_budget.h"
#include "machine/keys.h"
#include "machine/program.h"

struct ktrace_scope;

/* The verdict about a key. */
enum {
	KTRACE_JUDGE_STARTED	= 1 << 0,
	KTRACE_JUDGE_LOST	= 1 << 1,
	KTRACE_JUDGE_UNORDERED	= 1 << 2,
	KTRACE_JUDGE_VIOLATED	= 1 << 3,
	KTRACE_JUDGE_COUNTED	= 1 << 4,	/* it has ended, and is in the sums */
};

/* A violation that is not certain yet. */
struct ktrace_judge_pending {
	u64 time, since;
	u32 epoch;			/* of the machine when the key was started */
	u32 source;
	u32 next;			/* of the same key, with a later time */
	u16 state;
	bool froze;			/* it has frozen a session */
};

/* Numbers of keys by their verdict, as in struct ktrace_machine_read. */
struct ktrace_judge_sums {
	u64 ok, violated, not_started, lost, unordered;
};

struct ktrace_judge {
	const struct ktrace_program *program;
	struct ktrace_keys keys;
	struct ktrace_judge_pending *pending;
	struct ktrace_keys_pool pending_pool;
	atomic_t epoch;
	atomic64_t last_lost;		/* the latest time of a missed firing */
	atomic64_t first_lost;		/* the earliest one since the last round; U64_MAX: none */
	atomic64_t losses, refused, untold;

	/* For the caller of ktrace_judge_round(). */
	u64 lost_before;		/* the value of first_lost in the last round */
	u64 violations;
	struct ktrace_judge_sums ended;
	u32 rounds;

	u32 number;			/* in the session */
	bool only;			/* KTRACE_MACHINE_ONLY */
	u64 bytes;			/* of memory */
	void (*tell)(void *to, const struct ktrace_violation *violation);
	void *tell_to;			/* NULL: violations are not reported */

	/* Actions.  A violation freezes when it is found; act() follows when it is certain. */
	u32 actions;			/* KTRACE_ACTION_* */
	const struct ktrace_scope *scope; /* of the session; NULL: its gate is always open */
	void (*act)(void *to, struct ktrace_judge *judge, const struct ktrace_violation *violation);
	void *act_to;
	u32 max_rate;			/* of act() */
	char name[KTRACE_MACHINE_NAME];
	/* For act(), whose callers are serialised. */
	u64 second;			/* ns: when the present second began */
	u32 in_second;			/* violations with actions since then */
	u64 acted, withheld;
	atomic64_t froze;		/* sessions */
	atomic64_t revoked;		/* violations that froze a session, and were not certain */
};

/* The sources of one event in a machine; events have lists of them. */
struct ktrace_judge_tap {
	struct ktrace_judge *judge;
	u32 first, end;			/* sources */
	struct ktrace_judge_tap *next;	/* of the same event */
	struct ktrace_filter_claim claim;
};

/* Takes over @program, even on failure. */
struct ktrace_judge *ktrace_judge_create(struct ktrace_program *program);
void ktrace_judge_destroy(struct ktrace_judge *judge);

/* Applies a firing to all machines of the list.  @raw has @size bytes as in its format file. */
void ktrace_judge_take(const struct ktrace_judge_tap *taps, const void *raw, u32 size, u64 time);
/* Notes that a firing at about @time was missed, for all machines of the list; or for one. */
void ktrace_judge_miss(const struct ktrace_judge_tap *taps, u64 time);
void ktrace_judge_lose(struct ktrace_judge *judge, u64 time);

/* To be called when a task ends, and when a task gets its number again.  Not in NMIs. */
void ktrace_judge_end_task(struct ktrace_judge *judge, u64 tid, u64 time);
void ktrace_judge_begin_task(struct ktrace_judge *judge, u64 tid);

/* Would ktrace_judge_round() have anything to do for @mark? */
bool ktrace_judge_wants_round(const struct ktrace_judge *judge, u64 mark);
/*
 * Reports certain violations.  Every firing with a time up to @mark was applied or missed, so
 * deadlines up to @mark were missed.  @all: no other firing follows, so all verdicts are certain.
 * May sleep; the caller serialises.
 */
void ktrace_judge_round(struct ktrace_judge *judge, u64 mark, bool all);

/* Fills in all members except the size and the number. */
void ktrace_judge_read(const struct ktrace_judge *judge, struct ktrace_machine_read *read);

#endif
