/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values of a session's common fields that are counted: what the counters of the CPU
 * (cpu_counters.h) have advanced since the field was last read in the same context.  That is the
 * task where the session records only some tasks, and the CPU otherwise.
 *
 * Of a task, that is counted which the CPUs execute between the sched_switch to it and the one away
 * from it.  Interrupts belong to the task that they interrupt.
 */
#ifndef KTRACE_COUNTER_DELTAS_H
#define KTRACE_COUNTER_DELTAS_H

#include <linux/types.h>

struct ktrace_counter_deltas;

/* The most memory that one can take, in bytes. */
u64 ktrace_counter_deltas_bytes(void);

/* Returns NULL if there is no memory. */
struct ktrace_counter_deltas *ktrace_counter_deltas_create(void);
/* Once it is stopped and nobody stores any more.  @deltas may be NULL. */
void ktrace_counter_deltas_destroy(struct ktrace_counter_deltas *deltas);

/*
 * From now on, counts what @fields need, some of KTRACE_CPU_COUNTERS_FIELDS.  Errors are those of
 * ktrace_cpu_counters_get().  The caller serialises.
 */
int ktrace_counter_deltas_want(struct ktrace_counter_deltas *deltas, u64 fields);

/*
 * Forgets all that was read.  To be called before anybody stores; the caller serialises.  Errors:
 * -ENOMEM, -ENODEV.  May sleep.
 */
int ktrace_counter_deltas_start(struct ktrace_counter_deltas *deltas, bool by_task);
/*
 * Where it was started, stops following tasks.  Some may be followed until
 * tracepoint_synchronize_unregister() has been called.
 */
void ktrace_counter_deltas_stop(struct ktrace_counter_deltas *deltas);

/*
 * Stores the values of @fields in @slots, 8 bytes for each, by the order of their numbers: U64_MAX
 * where it is not known.  Works in any context with preemption disabled.
 */
void ktrace_counter_deltas_store(struct ktrace_counter_deltas *deltas, u64 fields, u64 *slots);

#endif
