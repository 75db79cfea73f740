/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The times of the STARTs of latencies, by their pairs, until their ENDs fire, perhaps on another
 * CPU.  The table has stripes, each with a lock of its own and room for some pairs.  It is used
 * with interrupts disabled, so that only an NMI can meet a lock that its own CPU holds.  The NMI
 * gives up after some tries.
 */
#ifndef KTRACE_COUNTING_STARTS_H
#define KTRACE_COUNTING_STARTS_H

#include <linux/types.h>
#include <linux/ktrace.h>

struct ktrace_counting_starts;

enum ktrace_counting_put {
	KTRACE_COUNTING_PUT_NEW,
	KTRACE_COUNTING_PUT_AGAIN,	/* the pair existed, and has the new time now */
	KTRACE_COUNTING_PUT_FULL,
	KTRACE_COUNTING_PUT_BUSY,	/* an NMI could not get the lock */
};

/* No word of a pair is the id of the thread that starts and ends. */
#define KTRACE_COUNTING_NO_TID	(~0U)

/*
 * Creates a table for at least @entries pairs of @words words, if these hash well, with @kept
 * further words for each.  If word @tid_word of a pair is the id of its thread, the pairs of ended
 * threads are removed when room is needed.
 */
struct ktrace_counting_starts *ktrace_counting_starts_create(u32 entries, u32 words, u32 kept,
							     u32 tid_word);
void ktrace_counting_starts_destroy(struct ktrace_counting_starts *starts);
/* The memory of such a table, in bytes; @words counts all words of an entry. */
u64 ktrace_counting_starts_bytes(u32 entries, u32 words);

/* Stores a pair with its time.  This and the next function work with preemption disabled. */
enum ktrace_counting_put ktrace_counting_starts_put(struct ktrace_counting_starts *starts,
						    const u64 *pair, u64 hash, u64 time,
						    const u64 *kept);
/*
 * Removes the pair from the table, and returns its time and its kept words.  0; -ENOENT: there is
 * none; -EBUSY: an NMI could not get the lock.
 */
int ktrace_counting_starts_take(struct ktrace_counting_starts *starts, const u64 *pair,
				u64 hash, u64 *time, u64 *kept);

/* KTRACE_IOC_COUNT_READ of a START, with @now by the clock of the times.  May sleep. */
int ktrace_counting_starts_read(struct ktrace_counting_starts *starts, u64 now,
				struct ktrace_count_read *read);

#endif
