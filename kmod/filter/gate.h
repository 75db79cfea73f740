/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The gate of a session: while it is closed, nothing is recorded.  START opens it and STOP closes
 * it.  A machine that finds a violation can close the gates of its owner's sessions at once, in any
 * context.  Such a session is frozen until its next START, and its firings are counted as
 * KTRACE_LOST_FROZEN.
 */
#ifndef KTRACE_GATE_H
#define KTRACE_GATE_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct ktrace_scope;

/* The time at which a gate was closed, while it is open. */
#define KTRACE_GATE_OPEN	U64_MAX

/* From now on the gate can be frozen.  -E2BIG: its owner has KTRACE_MAX_FREEZABLE such gates. */
int ktrace_gate_add(struct ktrace_scope *scope);
/* Undoes it, if it was done.  Waits for freezes that have begun. */
void ktrace_gate_remove(struct ktrace_scope *scope);

/* The caller serialises these two for one gate. */
void ktrace_gate_open(struct ktrace_scope *scope);
/*
 * Returns a time of the session's clock: all firings up to it have found the gate open.  If the
 * session is frozen, that is the time of the freeze.
 */
u64 ktrace_gate_close(struct ktrace_scope *scope);

/* The time at which the gate was closed, as above, or KTRACE_GATE_OPEN.  Works in any context. */
u64 ktrace_gate_shut_at(const struct ktrace_scope *scope);

/*
 * Freezes all sessions of @owner that can be frozen, and returns how many were open.  Works in any
 * context.  The caller has preemption disabled.
 */
u32 ktrace_gate_freeze(kuid_t owner);

#endif
