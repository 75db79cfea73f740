/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Converts the switches of a recording to samples of blocked time.  When a sleeping task runs
 * again, or at the end, the consumer gets a sample: that of the switch at which the task left the
 * CPU.  Its period is the number of nanoseconds until then.  The event sched:sched_switch is
 * renamed to OFF_CPU_EVENT.  Samples of events outside of the scheduler pass unchanged.
 *
 * If the session has a machine, the call chain begins behind the scheduler's own functions.
 */
#ifndef KTRACE_STATES_OFF_CPU_H
#define KTRACE_STATES_OFF_CPU_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "states/task_states.h"

/* perf's name. */
#define OFF_CPU_EVENT	"offcpu-time"

struct off_cpu;

/* More results after the session has ended. */
struct off_cpu_rest {
	uint64_t asleep_before;		/* tasks that slept when the recording began */
	uint64_t before_ns;		/* their sleep in the recording, which has no samples */
	uint64_t asleep_after;		/* tasks that slept at its end: their samples are cut */
};

/* @next and @events are borrowed. */
struct error *off_cpu_create(struct event_list *events, struct session_consumer *next,
			     struct off_cpu **ret);
void off_cpu_destroy(struct off_cpu *off_cpu);
DEFINE_CLEANUP_PTR(off_cpu, struct off_cpu, off_cpu_destroy)

struct session_consumer *off_cpu_consumer(struct off_cpu *off_cpu);

/*
 * Let the chain of a switch begin at the caller of the scheduler.  The chain is in a copy of the
 * record, which is modified.
 */
void off_cpu_cut_chain(struct machine *machine, struct sample *sample);

void off_cpu_rest(const struct off_cpu *off_cpu, struct off_cpu_rest *ret);

#endif
