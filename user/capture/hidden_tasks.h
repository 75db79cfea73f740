/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Detects whether the kernel hides process 1 from tracing.  Some hypervisors run their agent as
 * process 1 of a kernel of their own that fires no tracepoints for it.
 */
#ifndef KTRACE_CAPTURE_HIDDEN_TASKS_H
#define KTRACE_CAPTURE_HIDDEN_TASKS_H

enum hidden_tasks {
	HIDDEN_UNKNOWN,		/* it did not run, or counting it is not permitted */
	HIDDEN_NONE,
	HIDDEN_FIRST_PROCESS,	/* its threads leave a CPU without sched:sched_switch */
};

/* Make process 1 run, and count its switches in two ways; this takes up to a second. */
enum hidden_tasks hidden_tasks_find(void);

#endif
