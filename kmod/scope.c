// SPDX-License-Identifier: GPL-2.0
#include "scope.h"

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>

/*
 * The probes run for every task of the system, in the middle of fork and exec:
 * they take no lock and allocate nothing.
 */

static __always_inline void copy_bit(unsigned long *map, pid_t to, pid_t from)
{
	assign_bit(to, map, test_bit(from, map));
}

/* With rcu_read_lock(). */
static __always_inline struct task_struct *find_task(pid_t pid)
{
	return pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
}

static __always_inline void clear_bits(struct ktrace_scope_tasks *tasks, pid_t pid)
{
	clear_bit(pid, tasks->recorded);
	clear_bit(pid, tasks->inherit);
	clear_bit(pid, tasks->on_exec);
}

/* The child does not run yet. */
static notrace void probe_fork(void *data, struct task_struct *parent,
			       struct task_struct *child)
{
	struct ktrace_scope_tasks *tasks = data;

	/*
	 * Pairs with the barrier in add_threads(): either we see the bit of the
	 * parent, or it finds the child, which is linked by now.
	 */
	smp_mb();
	if (likely(!test_bit(parent->pid, tasks->inherit)))
		return;
	copy_bit(tasks->recorded, child->pid, parent->pid);
	copy_bit(tasks->on_exec, child->pid, parent->pid);
	set_bit(child->pid, tasks->inherit);
}

static notrace void probe_exec(void *data, struct task_struct *task,
			       pid_t old_pid, struct linux_binprm *bprm)
{
	struct ktrace_scope_tasks *tasks = data;

	/*
	 * A thread that is not the leader takes over the leader's number; the
	 * leader has had the thread's since, and kept the bits for us.
	 */
	if (unlikely(task->pid != old_pid)) {
		copy_bit(tasks->recorded, task->pid, old_pid);
		copy_bit(tasks->inherit, task->pid, old_pid);
		copy_bit(tasks->on_exec, task->pid, old_pid);
		rcu_read_lock();
		if (!find_task(old_pid))
			clear_bits(tasks, old_pid);
		rcu_read_unlock();
	}
	if (unlikely(test_bit(task->pid, tasks->on_exec))) {
		clear_bit(task->pid, tasks->on_exec);
		set_bit(task->pid, tasks->recorded);
	}
}

/*
 * Was it the leader of a process, of which another thread did an exec?  That one
 * has its age.
 */
static __always_inline bool was_leader(const struct task_struct *task)
{
	const struct task_struct *leader = find_task(task->tgid);

	return leader && leader != task && leader->start_boottime == task->start_boottime;
}

static notrace void probe_free(void *data, struct task_struct *task)
{
	struct ktrace_scope_tasks *tasks = data;
	pid_t pid = task->pid;

	if (likely(!test_bit(pid, tasks->recorded) &&
		   !test_bit(pid, tasks->inherit) &&
		   !test_bit(pid, tasks->on_exec)))
		return;
	rcu_read_lock();
	/*
	 * The number has been free for a while and may be another task's.  In an
	 * exec, probe_exec() has yet to take what is kept under it, or has
	 * cleared it.
	 */
	if (!find_task(pid) && !was_leader(task))
		clear_bits(tasks, pid);
	rcu_read_unlock();
}

static const struct {
	const char *name;
	void *probe;
	int prio;
} probes[] = {
	/* Before any probe that records: perf has both events in the scope. */
	{ "sched_process_fork", probe_fork, INT_MAX },
	{ "sched_process_exec", probe_exec, INT_MAX },
	{ "sched_process_free", probe_free, INT_MIN },
};

static void remove_probes(struct ktrace_scope *scope, int nr)
{
	while (nr--) {
		tracepoint_probe_unregister(scope->files[nr]->event_call->tp,
					    probes[nr].probe, scope->tasks);
		trace_put_event_file(scope->files[nr]);
	}
}

static int add_probes(struct ktrace_scope *scope)
{
	struct trace_event_file *file;
	int err, i;

	BUILD_BUG_ON(ARRAY_SIZE(probes) != KTRACE_SCOPE_NR_PROBES);
	check_trace_callback_type_sched_process_fork(probe_fork);
	check_trace_callback_type_sched_process_exec(probe_exec);
	check_trace_callback_type_sched_process_free(probe_free);

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		/* The tracepoints are not exported; their events lead to them. */
		file = trace_get_event_file(NULL, "sched", probes[i].name);
		if (IS_ERR(file)) {
			err = -ENODEV;
			goto err_remove_probes;
		}
		scope->files[i] = file;
		err = tracepoint_probe_register_prio(file->event_call->tp, probes[i].probe,
						     scope->tasks, probes[i].prio);
		if (err)
			goto err_put_file;
	}
	return 0;

err_put_file:
	trace_put_event_file(scope->files[i]);
err_remove_probes:
	remove_probes(scope, i);
	return err;
}

/* From here on only tasks that were added are covered: so far, none. */
static int limit_to_tasks(struct ktrace_scope *scope)
{
	struct ktrace_scope_tasks *tasks;
	int err;

	tasks = __vmalloc(sizeof(*tasks), GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!tasks)
		return -ENOMEM;
	/* The zeros before the pointer, for captures that run already. */
	smp_store_release(&scope->tasks, tasks);

	err = add_probes(scope);
	if (err)
		goto err_free_tasks;
	return 0;

err_free_tasks:
	WRITE_ONCE(scope->tasks, NULL);
	/* Waits for probes and, being a grace period too, for captures. */
	tracepoint_synchronize_unregister();
	vfree(tasks);
	return err;
}

static void add_task(struct ktrace_scope_tasks *tasks, pid_t pid, u32 flags)
{
	assign_bit(pid, tasks->inherit, flags & KTRACE_TASK_INHERIT);
	if (flags & KTRACE_TASK_ON_EXEC)
		set_bit(pid, tasks->on_exec);
	else
		set_bit(pid, tasks->recorded);
}

static void add_threads(struct ktrace_scope_tasks *tasks, struct task_struct *task,
			u32 flags)
{
	struct task_struct *thread;

	for_each_thread(task, thread) {
		add_task(tasks, thread->pid, flags);
		/*
		 * A thread made meanwhile is linked at the list's end: either
		 * this walk comes to it, or its parent's bits were set before
		 * probe_fork() looks.
		 */
		smp_mb();
	}
}

void ktrace_scope_init(struct ktrace_scope *scope, pid_t self)
{
	scope->self = self;
	scope->tasks = NULL;
	scope->conditions = NULL;
}

static void free_conditions(struct ktrace_scope_conditions *conditions)
{
	if (!conditions)
		return;
#ifdef CONFIG_CGROUPS
	while (conditions->nr_cgroups)
		cgroup_put(conditions->cgroups[--conditions->nr_cgroups]);
#endif
	kfree(conditions);
}

void ktrace_scope_stop(struct ktrace_scope *scope)
{
	if (scope->tasks)
		remove_probes(scope, ARRAY_SIZE(probes));
}

void ktrace_scope_deinit(struct ktrace_scope *scope)
{
	free_conditions(scope->conditions);
	vfree(scope->tasks);
}

int ktrace_scope_add(struct ktrace_scope *scope, pid_t pid, u32 flags)
{
	struct task_struct *task;
	int err = 0;

	if (!scope->tasks) {
		err = limit_to_tasks(scope);
		if (err)
			return err;
	}

	/*
	 * A task found in this section is freed after it, so that probe_free()
	 * comes after our bits.
	 */
	rcu_read_lock();
	task = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	if (!task)
		err = -ESRCH;
	else if (flags & KTRACE_TASK_PROCESS)
		add_threads(scope->tasks, task, flags);
	else
		add_task(scope->tasks, task->pid, flags);
	rcu_read_unlock();
	return err;
}

static struct ktrace_scope_conditions *get_conditions(struct ktrace_scope *scope)
{
	if (!scope->conditions)
		scope->conditions = kzalloc(sizeof(*scope->conditions), GFP_KERNEL_ACCOUNT);
	return scope->conditions;
}

int ktrace_scope_add_comm(struct ktrace_scope *scope, const char comm[TASK_COMM_LEN])
{
	struct ktrace_scope_conditions *conditions;
	size_t len = strnlen(comm, TASK_COMM_LEN);

	/* Names are compared whole, and the kernel fills them up with zeros. */
	if (!len || len == TASK_COMM_LEN || memchr_inv(comm + len, 0, TASK_COMM_LEN - len))
		return -EINVAL;
	conditions = get_conditions(scope);
	if (!conditions)
		return -ENOMEM;
	if (conditions->nr_comms == KTRACE_SCOPE_MAX)
		return -E2BIG;
	memcpy(conditions->comms[conditions->nr_comms++], comm, TASK_COMM_LEN);
	return 0;
}

#ifdef CONFIG_CGROUPS
int ktrace_scope_add_cgroup(struct ktrace_scope *scope, int fd)
{
	struct ktrace_scope_conditions *conditions = get_conditions(scope);
	struct cgroup *cgroup;

	if (!conditions)
		return -ENOMEM;
	if (conditions->nr_cgroups == KTRACE_SCOPE_MAX)
		return -E2BIG;
	cgroup = cgroup_get_from_fd(fd);
	if (IS_ERR(cgroup))
		return -EBADF;
	conditions->cgroups[conditions->nr_cgroups++] = cgroup;
	return 0;
}

static __always_inline bool is_in_cgroup(const struct ktrace_scope_conditions *conditions)
{
	struct cgroup *cgroup = rcu_dereference_sched(current->cgroups)->dfl_cgrp;
	u32 i;

	for (i = 0; i < conditions->nr_cgroups; i++)
		if (cgroup_is_descendant(cgroup, conditions->cgroups[i]))
			return true;
	return !i;
}
#else
int ktrace_scope_add_cgroup(struct ktrace_scope *scope, int fd)
{
	return -EOPNOTSUPP;
}

static __always_inline bool is_in_cgroup(const struct ktrace_scope_conditions *conditions)
{
	return true;
}
#endif

static __always_inline bool has_comm(const struct ktrace_scope_conditions *conditions)
{
	u64 comm[TASK_COMM_LEN / sizeof(u64)];
	u32 i;

	memcpy(comm, current->comm, sizeof(comm));
	for (i = 0; i < conditions->nr_comms; i++)
		if (comm[0] == conditions->comms[i][0] && comm[1] == conditions->comms[i][1])
			return true;
	return !i;
}

notrace bool ktrace_scope_meets(const struct ktrace_scope_conditions *conditions)
{
	BUILD_BUG_ON(TASK_COMM_LEN != 2 * sizeof(u64));

	return has_comm(conditions) && is_in_cgroup(conditions);
}
