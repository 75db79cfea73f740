// SPDX-License-Identifier: GPL-2.0
#include "fields/counter_deltas.h"

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>

#include "fields/cpu_counters.h"
#include "lib/memlock.h"

enum delta_state {
	UNREAD,		/* no earlier value is known */
	HERE,		/* `last` was read on this CPU */
	AWAY,		/* the task has been switched away from; only `before` counts */
};

/* One counter in one context.  Only the CPU that executes in this context accesses it. */
struct delta {
	enum delta_state state;
	u64 before;			/* counted since the last value, up to `last` */
	struct ktrace_cpu_count last;	/* the counter at the last reading */
};

struct context_deltas {
	struct delta of[KTRACE_CPU_COUNTER_NR];
};

/*
 * The tasks that have stored a value.  A task may be in any slot of one bucket.  Only the task
 * itself, or the switch away from it, adds and removes it.
 */
#define NR_BUCKETS	512
#define BUCKET_SIZE	16

struct task_table {
	struct task_struct *task[NR_BUCKETS * BUCKET_SIZE];	/* NULL: the slot is free */
	struct context_deltas deltas[NR_BUCKETS * BUCKET_SIZE];
};

struct ktrace_counter_deltas {
	u64 fields;			/* the counted ones */
	struct context_deltas __percpu *cpus;
	struct task_table *table;
	bool by_task;
	struct trace_event_file *file;	/* of sched_switch, while a probe is on it; or NULL */
};

u64 ktrace_counter_deltas_bytes(void)
{
	return sizeof(struct ktrace_counter_deltas) + sizeof(struct task_table) +
	       num_possible_cpus() * sizeof(struct context_deltas);
}

struct ktrace_counter_deltas *ktrace_counter_deltas_create(void)
{
	struct ktrace_counter_deltas *deltas = kzalloc(sizeof(*deltas), GFP_KERNEL_ACCOUNT);

	if (!deltas)
		return NULL;
	deltas->cpus = alloc_percpu_gfp(struct context_deltas, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!deltas->cpus) {
		kfree(deltas);
		return NULL;
	}
	return deltas;
}

void ktrace_counter_deltas_destroy(struct ktrace_counter_deltas *deltas)
{
	if (!deltas)
		return;
	ktrace_cpu_counters_put(deltas->fields);
	vfree(deltas->table);
	free_percpu(deltas->cpus);
	kfree(deltas);
}

int ktrace_counter_deltas_want(struct ktrace_counter_deltas *deltas, u64 fields)
{
	int err;

	fields &= ~deltas->fields;
	err = ktrace_cpu_counters_get(fields);
	if (!err)
		deltas->fields |= fields;
	return err;
}

static __always_inline u32 bucket_of(const struct task_struct *task)
{
	return hash_ptr(task, ilog2(NR_BUCKETS)) * BUCKET_SIZE;
}

static __always_inline struct context_deltas *find_deltas(struct task_table *table,
							  const struct task_struct *task)
{
	u32 first = bucket_of(task), i;

	for (i = first; i < first + BUCKET_SIZE; i++)
		if (READ_ONCE(table->task[i]) == task)
			return &table->deltas[i];
	return NULL;
}

/* Returns NULL if there is no free slot for the task. */
static notrace struct context_deltas *add_deltas(struct task_table *table,
						 struct task_struct *task)
{
	u32 first = bucket_of(task), i;

	for (i = first; i < first + BUCKET_SIZE; i++) {
		if (READ_ONCE(table->task[i]) || cmpxchg(&table->task[i], NULL, task))
			continue;
		memset(&table->deltas[i], 0, sizeof(table->deltas[i]));
		return &table->deltas[i];
	}
	return NULL;
}

static __always_inline void remove_deltas(struct task_table *table, struct context_deltas *deltas)
{
	/* Pairs with the cmpxchg() in add_deltas(), on whichever CPU. */
	smp_store_release(&table->task[deltas - table->deltas], NULL);
}

/* Adds the counter's advance.  Returns false if the counter has stood still since `last`. */
static __always_inline bool advance(struct delta *delta, u32 which)
{
	struct ktrace_cpu_count now;

	if (unlikely(!ktrace_cpu_counters_read(which, &now))) {
		delta->state = UNREAD;
		return false;
	}
	if (likely(delta->state == HERE && delta->last.epoch == now.epoch)) {
		delta->before += now.value - delta->last.value;
		delta->last = now;
		return true;
	}
	delta->state = HERE;
	delta->before = 0;
	delta->last = now;
	return false;
}

static __always_inline u64 take_delta(struct delta *delta, u32 which)
{
	u64 value = U64_MAX;

	if (delta->state == AWAY || likely(advance(delta, which))) {
		value = delta->before;
		delta->before = 0;
	}
	return value;
}

static __always_inline void leave_cpu(struct context_deltas *deltas, u64 fields)
{
	u32 which;

	for (which = 0; which < KTRACE_CPU_COUNTER_NR; which++)
		if (fields & ktrace_cpu_counter_field(which))
			deltas->of[which].state =
				advance(&deltas->of[which], which) ? AWAY : UNREAD;
}

static __always_inline void enter_cpu(struct context_deltas *deltas, u64 fields)
{
	struct delta *delta;
	u32 which;

	for (which = 0; which < KTRACE_CPU_COUNTER_NR; which++) {
		delta = &deltas->of[which];
		/*
		 * The state is HERE if the task stored its first value between the switch away from
		 * it and its last instruction.
		 */
		if (delta->state == AWAY && ktrace_cpu_counters_read(which, &delta->last))
			delta->state = HERE;
		else
			delta->state = UNREAD;
	}
}

/* Interrupts are disabled, and @prev is still the current task. */
static notrace void probe_switch(void *data, bool preempt, struct task_struct *prev,
				 struct task_struct *next, unsigned int prev_state)
{
	struct ktrace_counter_deltas *deltas = data;
	struct context_deltas *from = find_deltas(deltas->table, prev);
	struct context_deltas *to = find_deltas(deltas->table, next);
	unsigned long flags;

	if (likely(!from && !to))
		return;
	/* Cannot happen: no reader is switched away from, and nothing is switched in an NMI. */
	if (unlikely(!ktrace_cpu_counters_enter(&flags)))
		return;
	if (from) {
		leave_cpu(from, deltas->fields);
		/* This is the task's last switch: its memory may become another task. */
		if (unlikely(prev_state & TASK_DEAD))
			remove_deltas(deltas->table, from);
	}
	if (to)
		enter_cpu(to, deltas->fields);
	ktrace_cpu_counters_leave(flags);
}

notrace void ktrace_counter_deltas_store(struct ktrace_counter_deltas *deltas, u64 fields,
					 u64 *slots)
{
	struct context_deltas *context = this_cpu_ptr(deltas->cpus);
	unsigned long flags;
	bool entered;
	u64 value;
	u32 which;

	entered = ktrace_cpu_counters_enter(&flags);
	if (entered && deltas->by_task)
		context = find_deltas(deltas->table, current) ?:
			  add_deltas(deltas->table, current);
	for (which = 0; which < KTRACE_CPU_COUNTER_NR; which++) {
		if (!(fields & ktrace_cpu_counter_field(which)))
			continue;
		value = entered && context ? take_delta(&context->of[which], which) : U64_MAX;
		*slots++ = value;
	}
	if (entered)
		ktrace_cpu_counters_leave(flags);
}

static int follow_switches(struct ktrace_counter_deltas *deltas)
{
	/* The tracepoint is not exported, but its event leads to it. */
	struct trace_event_file *file = trace_get_event_file(NULL, "sched", "sched_switch");
	int err;

	check_trace_callback_type_sched_switch(probe_switch);
	if (IS_ERR(file))
		return -ENODEV;
	/* The last of the probes, so that the cost of earlier ones belongs to the previous task. */
	err = tracepoint_probe_register_prio(file->event_call->tp, probe_switch, deltas, INT_MIN);
	if (err) {
		trace_put_event_file(file);
		return err;
	}
	deltas->file = file;
	/* A CPU in the middle of a switch may not have seen the probe. */
	tracepoint_synchronize_unregister();
	return 0;
}

int ktrace_counter_deltas_start(struct ktrace_counter_deltas *deltas, bool by_task)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(deltas->cpus, cpu), 0, sizeof(struct context_deltas));
	deltas->by_task = by_task;
	if (!by_task)
		return 0;
	if (deltas->table)
		memset(deltas->table->task, 0, sizeof(deltas->table->task));
	else
		deltas->table = __vmalloc(sizeof(*deltas->table), KTRACE_MEMLOCK_GFP);
	return deltas->table ? follow_switches(deltas) : -ENOMEM;
}

void ktrace_counter_deltas_stop(struct ktrace_counter_deltas *deltas)
{
	if (!deltas->file)
		return;
	tracepoint_probe_unregister(deltas->file->event_call->tp, probe_switch, deltas);
	trace_put_event_file(deltas->file);
	deltas->file = NULL;
}
