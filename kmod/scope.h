/* SPDX-License-Identifier: GPL-2.0 */
/* Whose events a session records: the first and cheapest reject. */
#ifndef KTRACE_SCOPE_H
#define KTRACE_SCOPE_H

#include <linux/bitmap.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/threads.h>
#include <linux/ktrace.h>

struct trace_event_file;

/* By thread id in the initial pid namespace, which is what current->pid is. */
struct ktrace_scope_tasks {
	DECLARE_BITMAP(recorded, PID_MAX_LIMIT);
	DECLARE_BITMAP(inherit, PID_MAX_LIMIT);	/* children get what the parent has */
	DECLARE_BITMAP(on_exec, PID_MAX_LIMIT);	/* recorded after its next exec */
};

enum { KTRACE_SCOPE_NR_PROBES = 3 };

struct ktrace_scope {
	pid_t self;			/* process not recorded, but for its interrupts; -1: none */
	struct ktrace_scope_tasks *tasks; /* NULL: every task */

	/* What keeps the tracepoints' modules, while tasks is set. */
	struct trace_event_file *files[KTRACE_SCOPE_NR_PROBES];
};

void ktrace_scope_init(struct ktrace_scope *scope, pid_t self);
/* When no capture can run any more. */
void ktrace_scope_deinit(struct ktrace_scope *scope);

/* @flags: KTRACE_TASK_*.  The caller serialises. */
int ktrace_scope_add(struct ktrace_scope *scope, pid_t pid, u32 flags);

static __always_inline bool ktrace_scope_covers(const struct ktrace_scope *scope)
{
	const struct ktrace_scope_tasks *tasks = READ_ONCE(scope->tasks);
	const struct task_struct *task = current;

	/* An interrupt is nobody's, whoever it interrupts. */
	if (unlikely(task->tgid == scope->self) && in_task())
		return false;
	return !tasks || test_bit(task->pid, tasks->recorded);
}

#endif
