// SPDX-License-Identifier: GPL-2.0
#include "filter/gate.h"

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/ktrace.h>

#include "filter/scope.h"
#include "lib/clock.h"
#include "probes/ktrace/probe.h"

static LIST_HEAD(gate_list);		/* the scopes that can be frozen */
static DEFINE_MUTEX(gate_lock);		/* for writers of the list */

int ktrace_gate_add(struct ktrace_scope *scope)
{
	struct ktrace_scope *other;
	int err = -E2BIG;
	u32 nr = 0;

	mutex_lock(&gate_lock);
	list_for_each_entry(other, &gate_list, freezable)
		nr += uid_eq(other->owner, scope->owner);
	if (nr < KTRACE_MAX_FREEZABLE) {
		list_add_rcu(&scope->freezable, &gate_list);
		err = 0;
	}
	mutex_unlock(&gate_lock);
	return err;
}

void ktrace_gate_remove(struct ktrace_scope *scope)
{
	if (list_empty(&scope->freezable))
		return;
	mutex_lock(&gate_lock);
	list_del_rcu(&scope->freezable);
	mutex_unlock(&gate_lock);
	synchronize_rcu_expedited();
	INIT_LIST_HEAD(&scope->freezable);
}

void ktrace_gate_open(struct ktrace_scope *scope)
{
	WRITE_ONCE(scope->probe.frozen, false);
	atomic64_set(&scope->shut_at, KTRACE_GATE_OPEN);
	ktrace_scope_run(&scope->probe, true);
	/* Pairs with the barrier in gate_freeze(): it closes the gate after us, or we see it. */
	smp_mb();
	if (READ_ONCE(scope->probe.frozen))
		ktrace_scope_run(&scope->probe, false);
}

u64 ktrace_gate_close(struct ktrace_scope *scope)
{
	u64 now;
	s64 old;

	preempt_disable_notrace();
	now = ktrace_clock_read(scope->clockid);
	preempt_enable_notrace();
	/* Afterwards no freeze succeeds any more. */
	old = atomic64_cmpxchg(&scope->shut_at, KTRACE_GATE_OPEN, now);
	ktrace_scope_run(&scope->probe, false);
	return old == (s64)KTRACE_GATE_OPEN ? now : old;
}

notrace u64 ktrace_gate_shut_at(const struct ktrace_scope *scope)
{
	return atomic64_read(&scope->shut_at);
}

static notrace bool gate_freeze(struct ktrace_scope *scope)
{
	/* Before the gate is closed: firings up to this time have found it open. */
	u64 now = ktrace_clock_read(scope->clockid);

	if (!READ_ONCE(scope->probe.running) ||
	    atomic64_cmpxchg(&scope->shut_at, KTRACE_GATE_OPEN, now) != (s64)KTRACE_GATE_OPEN)
		return false;
	WRITE_ONCE(scope->probe.frozen, true);
	/* Pairs with the barrier in ktrace_gate_open(). */
	smp_mb();
	ktrace_scope_run(&scope->probe, false);
	return true;
}

notrace u32 ktrace_gate_freeze(kuid_t owner)
{
	struct ktrace_scope *scope;
	u32 nr = 0;

	/* Preemption is disabled, which lockdep cannot be asked about in any context. */
	list_for_each_entry_rcu(scope, &gate_list, freezable, true)
		nr += uid_eq(scope->owner, owner) && gate_freeze(scope);
	return nr;
}
