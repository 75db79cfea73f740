/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machines of a session.  While it runs, a work item checks their keys every
 * KTRACE_MACHINE_ROUND ns: no probe ever arms a timer.  If keys are tasks, probes follow the tasks.
 */
#ifndef KTRACE_COURT_H
#define KTRACE_COURT_H

#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/ktrace.h>

struct ktrace_court;
struct ktrace_judge;
struct ktrace_scope;
struct trace_event_file;

enum { KTRACE_COURT_NR_PROBES = 3 };

/* They take no lock. */
struct ktrace_court_ops {
	void (*wake)(struct ktrace_court *court);	/* the session's reader */
	void (*wake_frozen)(struct ktrace_court *court); /* readers of frozen sessions */
};

struct ktrace_court {
	struct ktrace_judge *judges[KTRACE_MAX_MACHINES];
	u32 nr;				/* grows; a reader without a lock has to acquire it */
	const struct ktrace_scope *scope; /* with the session's gate and clock */
	bool ran;			/* it was started before */
	bool needs_all;			/* a machine has to see the firings of all tasks */
	struct delayed_work work;
	const struct ktrace_court_ops *ops;
	u64 froze;			/* sessions whose readers were woken */
	bool wakes;			/* a violation wakes the reader at the end of the round */
	/* References that keep the modules of the tracepoints loaded; NULL: no key is a task. */
	struct trace_event_file *files[KTRACE_COURT_NR_PROBES];
};

/* The session's lock serialises all of these.  With all zeros there is no machine. */
void ktrace_court_init(struct ktrace_court *court, const struct ktrace_scope *scope,
		       const struct ktrace_court_ops *ops);
/*
 * Adds a machine.  On success the court owns it.  -E2BIG: there are KTRACE_MAX_MACHINES machines;
 * -ENODEV: the kernel does not report when tasks end.
 */
int ktrace_court_add(struct ktrace_court *court, struct ktrace_judge *judge);

/* To be called just before the gate is opened. */
void ktrace_court_open(struct ktrace_court *court);
/* To be called once the gate is open; it may be frozen meanwhile. */
void ktrace_court_start(struct ktrace_court *court);
/*
 * To be called once the gate is closed and no capture runs any more.  Deadlines up to @mark, which
 * is that of ktrace_gate_close(), count as missed.  Reports all violations.
 */
void ktrace_court_stop(struct ktrace_court *court, u64 mark);

/* Ends the work item and the probes; probes that have begun may still run. */
void ktrace_court_leave(struct ktrace_court *court);
/* To be called once no probe runs any more. */
void ktrace_court_deinit(struct ktrace_court *court);

#endif
