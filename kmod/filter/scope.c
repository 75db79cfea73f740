// SPDX-License-Identifier: GPL-2.0
#include "filter/scope.h"

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include "lib/memlock.h"
#include <trace/events/sched.h>

/*
 * The probes run for every task of the system, in the middle of its creation and of exec.
 * So they take no lock and allocate nothing.
 */

static __always_inline void clear_bits(struct ktrace_scope_tasks *tasks, pid_t pid)
{
	clear_bit(pid, tasks->recorded);
	clear_bit(pid, tasks->inherit);
	clear_bit(pid, tasks->on_exec);
}

static __always_inline bool has_bits(const struct ktrace_scope_tasks *tasks, pid_t pid)
{
	return test_bit(pid, tasks->recorded) || test_bit(pid, tasks->inherit) ||
	       test_bit(pid, tasks->on_exec);
}

/*
 * The task that created @child wakes it for the first time.  This happens to every task, also to
 * tasks that the kernel creates for a process (the workers of io_uring and vhost), which fire no
 * sched_process_fork.  @child does not run yet, and its pi_lock is held.
 */
static notrace void probe_new(void *data, struct task_struct *child)
{
	struct ktrace_scope_tasks *tasks = data;
	pid_t pid = child->pid, parent = current->pid;

	/*
	 * Another task may have had this number before.  Only this clears the bits of that task: by
	 * the time its end is reported (sched_process_free), the number may long belong to another
	 * task.
	 */
	if (unlikely(test_bit(pid, tasks->early)))
		clear_bit(pid, tasks->early);
	else if (unlikely(has_bits(tasks, pid)))
		clear_bits(tasks, pid);

	/*
	 * Pairs with the barrier in add_threads(): either we see the bit of the parent, or
	 * add_threads() finds the child, which is in the list of threads by now.
	 */
	smp_mb();
	if (likely(!test_bit(parent, tasks->inherit)))
		return;
	if (test_bit(parent, tasks->recorded))
		set_bit(pid, tasks->recorded);
	if (test_bit(parent, tasks->on_exec))
		set_bit(pid, tasks->on_exec);
	set_bit(pid, tasks->inherit);
}

/*
 * A thread that is not the leader takes over the leader's number @to when it calls exec.  Its own
 * number @from becomes free, and keeps its bits until another task gets it.  If that has happened
 * already, the bits of the thread are gone, and the thread continues with the leader's bits.
 */
static notrace void renumber(struct ktrace_scope_tasks *tasks, pid_t to, pid_t from)
{
	bool recorded = test_bit(from, tasks->recorded);
	bool inherit = test_bit(from, tasks->inherit);
	bool on_exec = test_bit(from, tasks->on_exec);
	bool is_free;

	/*
	 * A new task gets a number first and writes its bits then.  We read in the opposite order:
	 * if the bits are those of a new task, we see that it has the number.
	 */
	smp_rmb();
	rcu_read_lock();
	is_free = !find_pid_ns(from, &init_pid_ns);
	rcu_read_unlock();
	if (!is_free)
		return;
	assign_bit(to, tasks->recorded, recorded);
	assign_bit(to, tasks->inherit, inherit);
	assign_bit(to, tasks->on_exec, on_exec);
}

static notrace void probe_exec(void *data, struct task_struct *task,
			       pid_t old_pid, struct linux_binprm *bprm)
{
	struct ktrace_scope_tasks *tasks = data;

	if (unlikely(task->pid != old_pid))
		renumber(tasks, task->pid, old_pid);
	if (unlikely(test_bit(task->pid, tasks->on_exec))) {
		clear_bit(task->pid, tasks->on_exec);
		set_bit(task->pid, tasks->recorded);
	}
}

static const struct {
	const char *name;
	void *probe;
} probes[] = {
	{ "sched_wakeup_new", probe_new },
	{ "sched_process_exec", probe_exec },
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
	check_trace_callback_type_sched_wakeup_new(probe_new);
	check_trace_callback_type_sched_process_exec(probe_exec);

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		/* The tracepoints are not exported, but their events lead to them. */
		file = trace_get_event_file(NULL, "sched", probes[i].name);
		if (IS_ERR(file)) {
			err = -ENODEV;
			goto err_remove_probes;
		}
		scope->files[i] = file;
		/*
		 * Our probes run before any probe that records, so that the scope already has the
		 * exec's change when sched_process_exec is captured.  perf counts that event to the
		 * task, too.
		 */
		err = tracepoint_probe_register_prio(file->event_call->tp, probes[i].probe,
						     scope->tasks, INT_MAX);
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

/* From now on only added tasks are covered.  At first there are none. */
static int limit_to_tasks(struct ktrace_scope *scope)
{
	struct ktrace_scope_tasks *tasks;
	int err;

	tasks = __vmalloc(sizeof(*tasks), KTRACE_MEMLOCK_GFP);
	if (!tasks)
		return -ENOMEM;
	scope->tasks = tasks;
	/* The zeros have to be visible before the pointer, because captures may run already. */
	smp_store_release(&scope->probe.tasks, tasks->recorded);

	err = add_probes(scope);
	if (err)
		goto err_free_tasks;
	return 0;

err_free_tasks:
	WRITE_ONCE(scope->probe.tasks, NULL);
	scope->tasks = NULL;
	/* This waits for probes and, as it includes a grace period, for captures. */
	tracepoint_synchronize_unregister();
	vfree(tasks);
	return err;
}

/* Returns false if the task has ended. */
static bool add_task(struct ktrace_scope_tasks *tasks, struct task_struct *task, u32 flags)
{
	unsigned long irqs;
	pid_t pid;

	/* With this lock, probe_new() runs for the task either before or after this. */
	raw_spin_lock_irqsave(&task->pi_lock, irqs);
	/* The number of an unhashed task may belong to another task. */
	if (!pid_alive(task)) {
		raw_spin_unlock_irqrestore(&task->pi_lock, irqs);
		return false;
	}
	pid = task->pid;
	/*
	 * probe_new() runs after this.  The bits that it finds for @task are ours, not those of an
	 * earlier task with this number.
	 */
	if (READ_ONCE(task->__state) == TASK_NEW && !test_and_set_bit(pid, tasks->early))
		clear_bits(tasks, pid);
	assign_bit(pid, tasks->inherit, flags & KTRACE_TASK_INHERIT);
	if (flags & KTRACE_TASK_ON_EXEC)
		set_bit(pid, tasks->on_exec);
	else
		set_bit(pid, tasks->recorded);
	raw_spin_unlock_irqrestore(&task->pi_lock, irqs);
	return true;
}

/* Returns false if all threads have ended. */
static bool add_threads(struct ktrace_scope_tasks *tasks, struct task_struct *task,
			u32 flags)
{
	struct task_struct *thread;
	bool added = false;

	for_each_thread(task, thread) {
		added |= add_task(tasks, thread, flags);
		/*
		 * Pairs with the barrier in probe_new().  A thread that is created meanwhile is
		 * added at the list's end.  Either this walk reaches it, or probe_new() sees its
		 * parent's bits.
		 */
		smp_mb();
	}
	return added;
}

void ktrace_scope_init(struct ktrace_scope *scope, struct task_struct *self)
{
	/*
	 * A process keeps its signal_struct from its fork to its end, across exec and the end of
	 * single threads.  A reference to the task keeps the signal_struct.
	 */
	scope->opener = self ? get_task_struct(self) : NULL;
	scope->probe = (struct ktrace_probe_scope){ .self = self ? self->signal : NULL };
	scope->tasks = NULL;
	scope->owner = current_uid();
	INIT_LIST_HEAD(&scope->freezable);
}

void ktrace_scope_include_self(struct ktrace_scope *scope)
{
	scope->probe.self = NULL;
	if (scope->opener)
		put_task_struct(scope->opener);
	scope->opener = NULL;
}

void ktrace_scope_change_self(struct ktrace_scope *scope, struct task_struct *self)
{
	struct task_struct *old = scope->opener;

	if (!old)
		return;
	scope->opener = get_task_struct(self);
	WRITE_ONCE(scope->probe.self, self->signal);
	/*
	 * A running capture may still compare with the old process.  Until it has ended, the memory
	 * must not be reused for another process.
	 */
	tracepoint_synchronize_unregister();
	put_task_struct(old);
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
	free_conditions(scope->probe.conditions);
	vfree(scope->tasks);
	ktrace_scope_include_self(scope);
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

	rcu_read_lock();
	task = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	if (!task || !(flags & KTRACE_TASK_PROCESS ? add_threads(scope->tasks, task, flags) :
						     add_task(scope->tasks, task, flags)))
		err = -ESRCH;
	rcu_read_unlock();
	return err;
}

static struct ktrace_scope_conditions *get_conditions(struct ktrace_scope *scope)
{
	struct ktrace_scope_conditions **conditions = &scope->probe.conditions;

	if (!*conditions)
		*conditions = kzalloc(sizeof(**conditions), GFP_KERNEL_ACCOUNT);
	return *conditions;
}

int ktrace_scope_add_comm(struct ktrace_scope *scope, const char comm[TASK_COMM_LEN])
{
	struct ktrace_scope_conditions *conditions;
	size_t len = strnlen(comm, TASK_COMM_LEN);

	/* Names are compared as a whole, with the zeros that the kernel pads them with. */
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
