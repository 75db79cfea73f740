/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ledger of an event: the samples that were recorded, rejected and lost on each CPU.
 * PERF_RECORD_LOSTs in the ring report losses, in front of the event's next sample that has room.
 */
#ifndef KTRACE_LEDGER_H
#define KTRACE_LEDGER_H

#include <linux/types.h>
#include <linux/ktrace.h>

struct ktrace_event;
struct ktrace_event_cpu;

/* Copies the ledger of @event for a snapshot.  To be called on @cpu with interrupts disabled. */
void ktrace_ledger_keep(struct ktrace_event *event, unsigned int cpu);
/*
 * Reads that copy; fills in the same members as ktrace_ledger_read(), except for the unplaced
 * losses.
 */
void ktrace_ledger_read_kept(const struct ktrace_event *event, unsigned int cpu,
			     struct ktrace_stats *stats);

/* Reads the ledger; fills in all members of @stats except `size`, `index`, `cpu` and `flags`. */
void ktrace_ledger_read(const struct ktrace_event *event, unsigned int cpu,
			struct ktrace_stats *stats);

/* The following are for the hot path.  Counts a lost sample. */
void ktrace_ledger_lose(struct ktrace_event_cpu *ec, enum ktrace_lost reason);
/* The same for a sample whose raw data nobody has seen: the event's machines missed it, too. */
void ktrace_ledger_miss(const struct ktrace_event *event, struct ktrace_event_cpu *ec,
			enum ktrace_lost reason);

/* Counts a firing of a frozen session. */
void ktrace_ledger_shut_out(const struct ktrace_event *event, struct ktrace_event_cpu *ec);

/*
 * Both reserve @size bytes for a sample and set its time, or count the loss and return NULL.  The
 * first one is for a ring that has refused for @reason; it may overwrite.  The second one is for
 * events with earlier losses, whose PERF_RECORD_LOSTs it writes first.
 */
void *ktrace_ledger_make_room(struct ktrace_event_cpu *ec, u32 size, enum ktrace_lost reason);
void *ktrace_ledger_reserve_after_loss(const struct ktrace_event *event,
				       struct ktrace_event_cpu *ec, u32 size);

#endif
