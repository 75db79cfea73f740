/* SPDX-License-Identifier: GPL-2.0 */
/* Whose events a session records: the first and cheapest reject. */
#ifndef KTRACE_SCOPE_H
#define KTRACE_SCOPE_H

#include <linux/bitmap.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/threads.h>
#include <linux/ktrace.h>

struct cgroup;
struct trace_event_file;

/* By thread id in the initial pid namespace, which is what current->pid is. */
struct ktrace_scope_tasks {
	DECLARE_BITMAP(recorded, PID_MAX_LIMIT);
	DECLARE_BITMAP(inherit, PID_MAX_LIMIT);	/* children get what the parent has */
	DECLARE_BITMAP(on_exec, PID_MAX_LIMIT);	/* recorded after its next exec */
	DECLARE_BITMAP(early, PID_MAX_LIMIT);	/* added before it was woken for the first time */
};

/* What has to be so of the task, whoever it is: one of each kind that there is. */
struct ktrace_scope_conditions {
	u32 nr_comms, nr_cgroups;
	u64 comms[KTRACE_SCOPE_MAX][TASK_COMM_LEN / sizeof(u64)];
	struct cgroup *cgroups[KTRACE_SCOPE_MAX];
};

enum { KTRACE_SCOPE_NR_PROBES = 2 };

struct ktrace_scope {
	/* Of the process that is not recorded, but for its interrupts; NULL: of none. */
	const struct signal_struct *self;
	struct ktrace_scope_tasks *tasks; /* NULL: every task */
	struct ktrace_scope_conditions *conditions; /* NULL: none */

	/* What keeps the tracepoints' modules, while tasks is set. */
	struct trace_event_file *files[KTRACE_SCOPE_NR_PROBES];

	/* Keeps the memory of self from becoming another process's; NULL where self is. */
	struct task_struct *opener;
};

/* @self: a thread of the process that is not recorded, or NULL. */
void ktrace_scope_init(struct ktrace_scope *scope, struct task_struct *self);
/* Before any capture runs: that process is recorded, too. */
void ktrace_scope_include_self(struct ktrace_scope *scope);
/*
 * Tasks are not followed any more.  Captures may still ask, and the probes that followed
 * the tasks may still run.
 */
void ktrace_scope_stop(struct ktrace_scope *scope);
/* After stop and tracepoint_synchronize_unregister(), when no capture can run any more. */
void ktrace_scope_deinit(struct ktrace_scope *scope);

/* @flags: KTRACE_TASK_*.  The caller serialises. */
int ktrace_scope_add(struct ktrace_scope *scope, pid_t pid, u32 flags);

/* Before any capture runs.  The caller serialises. */
int ktrace_scope_add_comm(struct ktrace_scope *scope, const char comm[TASK_COMM_LEN]);
/* @fd: of a directory of the cgroup v2 hierarchy. */
int ktrace_scope_add_cgroup(struct ktrace_scope *scope, int fd);

bool ktrace_scope_meets(const struct ktrace_scope_conditions *conditions);

/* Is it one of those to be recorded? */
static __always_inline bool ktrace_scope_has_task(const struct ktrace_scope *scope)
{
	const struct ktrace_scope_tasks *tasks = READ_ONCE(scope->tasks);

	return !tasks || test_bit(current->pid, tasks->recorded);
}

/* Then that is all there is to ask. */
static __always_inline bool ktrace_scope_is_plain(const struct ktrace_scope *scope)
{
	return current->signal != scope->self && !scope->conditions;
}

static __always_inline bool ktrace_scope_covers(const struct ktrace_scope *scope)
{
	/* An interrupt is nobody's, whoever it interrupts. */
	if (unlikely(current->signal == scope->self) && in_task())
		return false;
	if (!ktrace_scope_has_task(scope))
		return false;
	return likely(!scope->conditions) || ktrace_scope_meets(scope->conditions);
}

#endif
