/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ledger of an event: what was recorded, rejected and lost on each CPU.  Losses are reported by
 * PERF_RECORD_LOSTs in the ring, in front of the next sample of the event that has room.
 */
#ifndef KTRACE_LEDGER_H
#define KTRACE_LEDGER_H

#include <linux/types.h>
#include <linux/ktrace.h>

struct ktrace_event;
struct ktrace_event_cpu;

/*
 * Keeps the ledger of @event for a snapshot.  To be called on @cpu with interrupts
 * disabled.
 */
void ktrace_ledger_keep(struct ktrace_event *event, unsigned int cpu);
/*
 * Reads the ledger that was kept; fills in what ktrace_ledger_read() fills in, but for the
 * unplaced losses.
 */
void ktrace_ledger_read_kept(const struct ktrace_event *event, unsigned int cpu,
			     struct ktrace_stats *stats);

/* Reads the ledger; fills in all members of @stats but `size`, `index`, `cpu` and `flags`. */
void ktrace_ledger_read(const struct ktrace_event *event, unsigned int cpu,
			struct ktrace_stats *stats);

/* The following are for the hot path.  Counts a sample that is lost. */
void ktrace_ledger_lose(struct ktrace_event_cpu *ec, enum ktrace_lost reason);
/* The same for one whose raw data nobody has seen, so that its machines have missed it, too. */
void ktrace_ledger_miss(const struct ktrace_event *event, struct ktrace_event_cpu *ec,
			enum ktrace_lost reason);

/*
 * Reserve @size bytes for a sample and set its time, or count the loss and return NULL: the first
 * one where the ring has refused for @reason, which may be to overwrite; the other one where
 * earlier samples were lost, whose PERF_RECORD_LOSTs come first.
 */
void *ktrace_ledger_make_room(struct ktrace_event_cpu *ec, u32 size, enum ktrace_lost reason);
void *ktrace_ledger_reserve_after_loss(const struct ktrace_event *event,
				       struct ktrace_event_cpu *ec, u32 size);

#endif
