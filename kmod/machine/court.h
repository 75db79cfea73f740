/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machines of a session.  While it runs, a work looks through their keys every
 * KTRACE_MACHINE_ROUND ns: no probe ever arms a timer.  Where keys are tasks, probes follow them.
 */
#ifndef KTRACE_COURT_H
#define KTRACE_COURT_H

#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/ktrace.h>

struct ktrace_judge;
struct trace_event_file;

enum { KTRACE_COURT_NR_PROBES = 3 };

struct ktrace_court {
	struct ktrace_judge *judges[KTRACE_MAX_MACHINES];
	u32 nr;				/* grows; who reads it without a lock acquires it */
	int clockid;
	bool ran;			/* it was started before */
	bool needs_all;			/* a machine has to see the firings of all tasks */
	struct delayed_work work;
	/* References that keep the modules of the tracepoints loaded; NULL: no key is a task. */
	struct trace_event_file *files[KTRACE_COURT_NR_PROBES];
};

/* All of these serialise by the session's lock.  All zeros: no machine; what follows works. */
void ktrace_court_init(struct ktrace_court *court, int clockid);
/*
 * Adds a machine, which belongs to the court from now on, unless this fails.  -E2BIG: it has
 * KTRACE_MAX_MACHINES; -ENODEV: the kernel does not tell when tasks end.
 */
int ktrace_court_add(struct ktrace_court *court, struct ktrace_judge *judge);

/* Just before the gate is opened. */
void ktrace_court_open(struct ktrace_court *court);
/* Once the gate is open. */
void ktrace_court_start(struct ktrace_court *court);
/*
 * Once the gate is closed and no capture runs any more.  @mark was read before the gate was closed:
 * what is certain by then is told.
 */
void ktrace_court_stop(struct ktrace_court *court, u64 mark);
/* The time, for ktrace_court_stop(). */
u64 ktrace_court_time(const struct ktrace_court *court);

/* Ends the work and the probes; probes that have begun may still run. */
void ktrace_court_leave(struct ktrace_court *court);
/* Once they do not. */
void ktrace_court_deinit(struct ktrace_court *court);

#endif
