/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns the switches of a recording into samples of blocked time: whenever a task that went to
 * sleep runs again, or at the end, the consumer gets the sample of the switch at which it had
 * left the CPU, with the nanoseconds until then as its period.  The event sched:sched_switch is
 * renamed to OFF_CPU_EVENT; other samples than those of the scheduler's tracepoints go on.
 *
 * The call chain begins behind the scheduler's own functions if the session has a machine.
 */
#ifndef KTRACE_STATES_OFF_CPU_H
#define KTRACE_STATES_OFF_CPU_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "states/task_states.h"

/* As perf calls it. */
#define OFF_CPU_EVENT	"offcpu-time"

struct off_cpu;

/* What else is known when the session has ended. */
struct off_cpu_rest {
	uint64_t asleep_before;		/* tasks that had been asleep before the recording */
	uint64_t before_ns;		/* how long in it; there are no samples of that */
	uint64_t asleep_after;		/* tasks still asleep at its end, whose samples say less */
};

/* @next and @events are borrowed. */
struct error *off_cpu_create(struct event_list *events, struct session_consumer *next,
			     struct off_cpu **ret);
void off_cpu_destroy(struct off_cpu *off_cpu);
DEFINE_CLEANUP_PTR(off_cpu, struct off_cpu, off_cpu_destroy)

struct session_consumer *off_cpu_consumer(struct off_cpu *off_cpu);

/*
 * Let the chain of a switch begin where the scheduler was called.  It is in a copy of the record,
 * which is changed.
 */
void off_cpu_cut_chain(struct machine *machine, struct sample *sample);

void off_cpu_rest(const struct off_cpu *off_cpu, struct off_cpu_rest *ret);

#endif
