/* SPDX-License-Identifier: GPL-2.0 */
/* The tasks that a session records.  This test is the cheapest one, so it comes first. */
#ifndef KTRACE_SCOPE_H
#define KTRACE_SCOPE_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/threads.h>
#include <linux/uidgid.h>
#include <linux/ktrace.h>

#include "probes/ktrace/probe.h"

struct cgroup;
struct trace_event_file;

/* Sets of tasks by thread id in the initial pid namespace, like current->pid. */
struct ktrace_scope_tasks {
	DECLARE_BITMAP(recorded, PID_MAX_LIMIT);
	DECLARE_BITMAP(inherit, PID_MAX_LIMIT);	/* its children get its bits */
	DECLARE_BITMAP(on_exec, PID_MAX_LIMIT);	/* recorded after the task's next exec */
	DECLARE_BITMAP(early, PID_MAX_LIMIT);	/* added before it was woken for the first time */
};

/* Conditions for the current task: it has to meet one of each kind that is present. */
struct ktrace_scope_conditions {
	u32 nr_comms, nr_cgroups;
	u64 comms[KTRACE_SCOPE_MAX][TASK_COMM_LEN / sizeof(u64)];
	struct cgroup *cgroups[KTRACE_SCOPE_MAX];
};

enum { KTRACE_SCOPE_NR_PROBES = 2 };

struct ktrace_scope {
	struct ktrace_probe_scope probe;
	struct ktrace_scope_tasks *tasks; /* probe.tasks are the recorded ones; NULL likewise */

	/* References that keep the modules of the tracepoints loaded, while tasks is set. */
	struct trace_event_file *files[KTRACE_SCOPE_NR_PROBES];

	/*
	 * A reference that keeps the memory of probe.self from being reused for another process;
	 * NULL if probe.self is.
	 */
	struct task_struct *opener;

	/* For gate.h.  The clock is set before the gate is opened. */
	int clockid;
	kuid_t owner;			/* of the session */
	atomic64_t shut_at;		/* when the gate was closed; KTRACE_GATE_OPEN: it is open */
	struct list_head freezable;	/* empty: it cannot be frozen */
};

/*
 * @self is a thread of the process that is not to be recorded, or NULL.  The current user owns the
 * session.
 */
void ktrace_scope_init(struct ktrace_scope *scope, struct task_struct *self);
/* From now on the process of @self is recorded, too.  To be called before any capture runs. */
void ktrace_scope_include_self(struct ktrace_scope *scope);
/*
 * From now on the process of @self is not recorded, and the previous one is.  Does nothing if all
 * processes are recorded.  Captures may run; the caller serialises.
 */
void ktrace_scope_change_self(struct ktrace_scope *scope, struct task_struct *self);
/*
 * Stops following tasks.  Captures may still test the scope afterwards, and probes that have begun
 * may still run.
 */
void ktrace_scope_stop(struct ktrace_scope *scope);
/* To be called after stop and tracepoint_synchronize_unregister(), when no capture can run. */
void ktrace_scope_deinit(struct ktrace_scope *scope);

/* Adds the task with the thread id @pid.  @flags are KTRACE_TASK_*.  The caller serialises. */
int ktrace_scope_add(struct ktrace_scope *scope, pid_t pid, u32 flags);

/* These two are to be called before any capture runs.  The caller serialises. */
int ktrace_scope_add_comm(struct ktrace_scope *scope, const char comm[TASK_COMM_LEN]);
/* @fd is a descriptor of a directory of the cgroup v2 hierarchy. */
int ktrace_scope_add_cgroup(struct ktrace_scope *scope, int fd);

bool ktrace_scope_meets(const struct ktrace_scope_conditions *conditions);

static __always_inline bool ktrace_scope_covers(const struct ktrace_probe_scope *scope)
{
	/* An interrupt does not belong to the process that it interrupts. */
	if (unlikely(current->signal == scope->self) && in_task())
		return false;
	if (!ktrace_scope_has_task(scope))
		return false;
	return likely(!scope->conditions) || ktrace_scope_meets(scope->conditions);
}

#endif
