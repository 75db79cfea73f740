// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "machine/court.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/time64.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "compat/compat.h"
#include "filter/gate.h"
#include "filter/scope.h"
#include "lib/clock.h"
#include "machine/judge.h"
#include "probes/ktrace/probe.h"

/* Checking all keys takes at most 1 / COURT_SHARE of a CPU. */
#define COURT_SHARE	50

static u64 court_time(const struct ktrace_court *court)
{
	u64 now;

	preempt_disable_notrace();
	now = ktrace_clock_read(court->scope->clockid);
	preempt_enable_notrace();
	return now;
}

/* ---- tasks ------------------------------------------------------------------------ */

static notrace void court_follow(const struct ktrace_court *court, pid_t ended, pid_t begun)
{
	/* Pairs with the release in ktrace_court_add(). */
	u32 nr = smp_load_acquire(&court->nr), i;
	bool guarded;
	u64 now;

	preempt_disable_notrace();
	/* No event may fire while we wait for a lock.  In a task, nobody else is in the guard. */
	guarded = ktrace_guard_enter();
	now = ktrace_clock_read(court->scope->clockid);
	for (i = 0; i < nr; i++) {
		struct ktrace_judge *judge = court->judges[i];

		if (judge->program->head->key != KTRACE_MACHINE_KEY_TASK)
			continue;
		if (!guarded) {
			ktrace_judge_lose(judge, now);
			continue;
		}
		if (ended)
			ktrace_judge_end_task(judge, ended, now);
		if (begun)
			ktrace_judge_begin_task(judge, begun);
	}
	if (guarded)
		ktrace_guard_leave();
	preempt_enable_notrace();
}

#ifdef KTRACE_HAS_EXIT_OF_GROUP
static notrace void court_probe_exit(void *data, struct task_struct *task, bool group_dead)
#else
static notrace void court_probe_exit(void *data, struct task_struct *task)
#endif
{
	court_follow(data, task->pid, 0);
}

/* Every task is woken for the first time, even if it fires no sched_process_fork. */
static notrace void court_probe_new(void *data, struct task_struct *task)
{
	court_follow(data, 0, task->pid);
}

/* A thread that is not the leader takes over the number of the leader, which has ended before. */
static notrace void court_probe_exec(void *data, struct task_struct *task, pid_t old_pid,
				     struct linux_binprm *bprm)
{
	if (unlikely(task->pid != old_pid))
		court_follow(data, old_pid, task->pid);
}

static const struct {
	const char *name;
	void *probe;
} court_probes[] = {
	{ "sched_process_exit", court_probe_exit },
	{ "sched_wakeup_new", court_probe_new },
	{ "sched_process_exec", court_probe_exec },
};

static void court_remove_probes(struct ktrace_court *court, int nr)
{
	while (nr--) {
		tracepoint_probe_unregister(court->files[nr]->event_call->tp,
					    court_probes[nr].probe, court);
		trace_put_event_file(court->files[nr]);
		court->files[nr] = NULL;
	}
}

static int court_add_probes(struct ktrace_court *court)
{
	struct trace_event_file *file;
	int err, i;

	BUILD_BUG_ON(ARRAY_SIZE(court_probes) != KTRACE_COURT_NR_PROBES);
	check_trace_callback_type_sched_process_exit(court_probe_exit);
	check_trace_callback_type_sched_wakeup_new(court_probe_new);
	check_trace_callback_type_sched_process_exec(court_probe_exec);

	for (i = 0; i < ARRAY_SIZE(court_probes); i++) {
		file = trace_get_event_file(NULL, "sched", court_probes[i].name);
		err = -ENODEV;
		if (IS_ERR(file))
			goto err_remove_probes;
		court->files[i] = file;
		/* A task begins and ends before any recording probe sees the event. */
		err = tracepoint_probe_register_prio(file->event_call->tp, court_probes[i].probe,
						     court, INT_MAX);
		if (err)
			goto err_put_file;
	}
	return 0;

err_put_file:
	trace_put_event_file(file);
	court->files[i] = NULL;
err_remove_probes:
	court_remove_probes(court, i);
	return err;
}

static bool court_wants_round(const struct ktrace_court *court, u64 mark)
{
	bool wanted = false;
	u32 i;

	for (i = 0; i < court->nr; i++) {
		court->judges[i]->rounds++;
		wanted |= ktrace_judge_wants_round(court->judges[i], mark);
	}
	return wanted;
}

/* Readers of frozen sessions are woken here, because a probe cannot do so. */
static void court_look_for_frozen(struct ktrace_court *court)
{
	u64 froze = 0;
	u32 i;

	for (i = 0; i < court->nr; i++)
		froze += atomic64_read(&court->judges[i]->froze);
	if (froze == court->froze)
		return;
	court->froze = froze;
	court->ops->wake_frozen(court);
}

/* ---- actions ---------------------------------------------------------------------- */

static bool court_may_act(struct ktrace_judge *judge)
{
	u64 now = ktime_get_ns();

	if (now - judge->second >= NSEC_PER_SEC) {
		judge->second = now;
		judge->in_second = 0;
	}
	if (judge->in_second == judge->max_rate) {
		judge->withheld++;
		return false;
	}
	judge->in_second++;
	judge->acted++;
	return true;
}

static void court_print(const struct ktrace_judge *judge, const struct ktrace_violation *v)
{
	char key[KTRACE_MACHINE_MAX_PARTS * 24] = "";
	u32 i, len = 0;

	for (i = 0; i < judge->program->head->nr_parts; i++)
		len += scnprintf(key + len, sizeof(key) - len, "%s%lld", i ? "," : " key ",
				 (s64)v->key[i]);
	if (v->source == KTRACE_MACHINE_NO_SOURCE)
		pr_warn("machine %u %s:%s was in state %u for too long, at %llu ns\n",
			judge->number, judge->name, key, v->state, v->when);
	else
		pr_warn("machine %u %s:%s got source %u in state %u, at %llu ns\n",
			judge->number, judge->name, key, v->source, v->state, v->when);
}

static void court_act(void *to, struct ktrace_judge *judge, const struct ktrace_violation *v)
{
	struct ktrace_court *court = to;

	if (!court_may_act(judge))
		return;
	if (judge->actions & KTRACE_ACTION_PRINTK)
		court_print(judge, v);
	/* Once for all violations of the round. */
	court->wakes |= judge->actions & KTRACE_ACTION_WAKE;
}

static void court_wake(struct ktrace_court *court)
{
	if (court->wakes)
		court->ops->wake(court);
	court->wakes = false;
}

/* ---- rounds ----------------------------------------------------------------------- */

static void court_work(struct work_struct *work)
{
	struct ktrace_court *court = container_of(to_delayed_work(work), struct ktrace_court,
						  work);
	u64 mark = court_time(court), shut_at = ktrace_gate_shut_at(court->scope);
	u64 began = ktime_get_ns(), took;
	bool shut = shut_at != KTRACE_GATE_OPEN;
	u32 i;

	/* No firing follows once the gate is closed, so all verdicts are certain soon. */
	mark = min(mark, shut_at);
	if (court_wants_round(court, mark) || shut) {
		took = ktime_get_ns() - began;
		/* Afterwards captures that read an earlier time are done, as in KTRACE_IOC_MARK. */
		tracepoint_synchronize_unregister();
		began = ktime_get_ns() - took;
		for (i = 0; i < court->nr; i++)
			ktrace_judge_round(court->judges[i], mark, shut);
	}
	court_wake(court);
	court_look_for_frozen(court);
	if (shut)
		return;
	took = ktime_get_ns() - began;
	queue_delayed_work(system_dfl_wq, &court->work,
			   nsecs_to_jiffies(max_t(u64, KTRACE_MACHINE_ROUND, took * COURT_SHARE)));
}

void ktrace_court_init(struct ktrace_court *court, const struct ktrace_scope *scope,
		       const struct ktrace_court_ops *ops)
{
	*court = (struct ktrace_court){ .scope = scope, .ops = ops };
	INIT_DELAYED_WORK(&court->work, court_work);
}

int ktrace_court_add(struct ktrace_court *court, struct ktrace_judge *judge)
{
	int err;

	if (court->nr == KTRACE_MAX_MACHINES)
		return -E2BIG;
	if (judge->program->head->key == KTRACE_MACHINE_KEY_TASK && !court->files[0]) {
		err = court_add_probes(court);
		if (err)
			return err;
	}
	judge->number = court->nr;
	judge->scope = court->scope;
	if (judge->actions & (KTRACE_ACTION_WAKE | KTRACE_ACTION_PRINTK))
		judge->act = court_act;
	judge->act_to = court;
	court->needs_all |= !ktrace_program_is_of_own_tasks(judge->program);
	court->judges[court->nr] = judge;
	/* Pairs with the acquire in court_follow(). */
	smp_store_release(&court->nr, court->nr + 1);
	return 0;
}

void ktrace_court_open(struct ktrace_court *court)
{
	u64 now = court_time(court);
	u32 i;

	/* Firings since STOP were missed. */
	for (i = 0; court->ran && i < court->nr; i++)
		ktrace_judge_lose(court->judges[i], now);
	court->ran = true;
}

void ktrace_court_start(struct ktrace_court *court)
{
	if (court->nr)
		queue_delayed_work(system_dfl_wq, &court->work,
				   nsecs_to_jiffies(KTRACE_MACHINE_ROUND));
}

void ktrace_court_stop(struct ktrace_court *court, u64 mark)
{
	u32 i;

	if (!court->nr)
		return;
	cancel_delayed_work_sync(&court->work);
	for (i = 0; i < court->nr; i++)
		ktrace_judge_round(court->judges[i], mark, true);
	court_wake(court);
	court_look_for_frozen(court);
}

void ktrace_court_leave(struct ktrace_court *court)
{
	if (!court->nr)
		return;
	cancel_delayed_work_sync(&court->work);
	if (court->files[0])
		court_remove_probes(court, ARRAY_SIZE(court_probes));
}

void ktrace_court_deinit(struct ktrace_court *court)
{
	while (court->nr)
		ktrace_judge_destroy(court->judges[--court->nr]);
}
