/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values of a session's counted common fields: how far the counters of the CPU (cpu_counters.h)
 * have advanced since the field was last read in the same context.  The context is the task if the
 * session records only some tasks, and the CPU otherwise.
 *
 * A task's value covers the execution from the sched_switch to it up to the switch away from it.
 * Interrupts belong to the task that they interrupt.
 */
#ifndef KTRACE_COUNTER_DELTAS_H
#define KTRACE_COUNTER_DELTAS_H

#include <linux/types.h>

struct ktrace_counter_deltas;

/* The most memory that one object can take, in bytes. */
u64 ktrace_counter_deltas_bytes(void);

/* Returns NULL if there is no memory. */
struct ktrace_counter_deltas *ktrace_counter_deltas_create(void);
/* To be called after the stop, when nobody stores any more.  @deltas may be NULL. */
void ktrace_counter_deltas_destroy(struct ktrace_counter_deltas *deltas);

/*
 * From now on, counts for @fields, which are some of KTRACE_CPU_COUNTERS_FIELDS.  Errors are those
 * of ktrace_cpu_counters_get().  The caller serialises.
 */
int ktrace_counter_deltas_want(struct ktrace_counter_deltas *deltas, u64 fields);

/*
 * Forgets all earlier values.  To be called before anybody stores; the caller serialises.  Errors:
 * -ENOMEM; -ENODEV: the kernel has no sched_switch.  May sleep.
 */
int ktrace_counter_deltas_start(struct ktrace_counter_deltas *deltas, bool by_task);
/*
 * Stops following tasks, if it was started.  Some probes may still run until
 * tracepoint_synchronize_unregister() has been called.
 */
void ktrace_counter_deltas_stop(struct ktrace_counter_deltas *deltas);

/*
 * Stores the values of @fields in @slots, 8 bytes for each, by the order of their numbers: U64_MAX
 * if unknown.  Works in any context with preemption disabled.
 */
void ktrace_counter_deltas_store(struct ktrace_counter_deltas *deltas, u64 fields, u64 *slots);

#endif
