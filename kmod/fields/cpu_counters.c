// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "fields/cpu_counters.h"

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

static const u64 configs[KTRACE_CPU_COUNTER_NR] = {
	[KTRACE_CPU_COUNTER_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
	[KTRACE_CPU_COUNTER_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
};

static u32 users[KTRACE_CPU_COUNTER_NR];
static DEFINE_MUTEX(users_lock);	/* also for setting `event` and `epoch`, below */

/* On one CPU. */
struct cpu_counters {
	struct perf_event *event[KTRACE_CPU_COUNTER_NR];
	u32 epoch[KTRACE_CPU_COUNTER_NR];
	bool reading;
};

static DEFINE_PER_CPU(struct cpu_counters, cpu_counters);

/*
 * The counter is pinned: either it owns a counter of the PMU permanently, or it is in error and
 * does not run.  So no value is an estimate.
 */
static struct perf_event *create_counter(u32 which, unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = configs[which],
		.pinned = 1,
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);

	/* perf has pinned it, or failed to, before it returned. */
	if (IS_ERR(event) || data_race(event->state) != PERF_EVENT_STATE_ERROR)
		return event;
	perf_event_release_kernel(event);
	return ERR_PTR(-EUSERS);
}

static void stop_counters(u32 which)
{
	struct perf_event *event;
	unsigned int cpu;

	lockdep_assert_held(&users_lock);

	for_each_possible_cpu(cpu) {
		event = per_cpu(cpu_counters, cpu).event[which];
		if (!event)
			continue;
		WRITE_ONCE(per_cpu(cpu_counters, cpu).event[which], NULL);
		perf_event_release_kernel(event);
	}
}

static void publish_counter(u32 which, unsigned int cpu, struct perf_event *event)
{
	struct cpu_counters *of = per_cpu_ptr(&cpu_counters, cpu);

	lockdep_assert_held(&users_lock);

	of->epoch[which]++;
	/* Pairs with the acquire in ktrace_cpu_counters_read(): its reader sees the epoch, too. */
	smp_store_release(&of->event[which], event);
}

static int start_counters(u32 which)
{
	struct perf_event *event;
	unsigned int cpu;
	int err;

	lockdep_assert_held(&users_lock);

	for_each_online_cpu(cpu) {
		event = create_counter(which, cpu);
		if (!IS_ERR(event)) {
			publish_counter(which, cpu, event);
			continue;
		}
		err = PTR_ERR(event);
		if (err == -ENODEV && !cpu_online(cpu))
			continue;
		stop_counters(which);
		return err == -ENOMEM || err == -EINTR || err == -EUSERS ? err : -EOPNOTSUPP;
	}
	return 0;
}

static void put_kinds(u64 fields, u32 nr)
{
	u32 which;

	lockdep_assert_held(&users_lock);

	for (which = 0; which < nr; which++)
		if (fields & ktrace_cpu_counter_field(which) && !--users[which])
			stop_counters(which);
}

int ktrace_cpu_counters_get(u64 fields)
{
	int err = 0;
	u32 which;

	mutex_lock(&users_lock);
	for (which = 0; which < KTRACE_CPU_COUNTER_NR; which++) {
		if (!(fields & ktrace_cpu_counter_field(which)))
			continue;
		err = users[which] ? 0 : start_counters(which);
		if (err)
			break;
		users[which]++;
	}
	if (err)
		put_kinds(fields, which);
	mutex_unlock(&users_lock);
	return err;
}

void ktrace_cpu_counters_put(u64 fields)
{
	mutex_lock(&users_lock);
	put_kinds(fields, KTRACE_CPU_COUNTER_NR);
	mutex_unlock(&users_lock);
}

/* perf removes its events from a CPU that goes offline, and does not bring them back. */
static void follow_counter(u32 which, unsigned int cpu)
{
	struct perf_event *old = per_cpu(cpu_counters, cpu).event[which], *event;

	lockdep_assert_held(&users_lock);

	/* A CPU that goes offline now is followed once it is back. */
	if (old && data_race(old->attach_state) & PERF_ATTACH_CONTEXT)
		return;
	event = create_counter(which, cpu);
	if (IS_ERR(event)) {
		/* ENODEV means that the CPU is gone again. */
		if (PTR_ERR(event) != -ENODEV)
			pr_warn_ratelimited("CPU %u is back, but its cycles or instructions are not counted (error %ld): start the recording again\n",
					    cpu, PTR_ERR(event));
		return;
	}
	/* No reader may combine the new epoch with the old counter, which does not run. */
	if (old) {
		WRITE_ONCE(per_cpu(cpu_counters, cpu).event[which], NULL);
		synchronize_rcu();
		perf_event_release_kernel(old);
	}
	publish_counter(which, cpu, event);
}

void ktrace_cpu_counters_follow(void)
{
	unsigned int cpu;
	u32 which;

	mutex_lock(&users_lock);
	for (which = 0; which < KTRACE_CPU_COUNTER_NR; which++) {
		if (!users[which])
			continue;
		for_each_online_cpu(cpu)
			follow_counter(which, cpu);
	}
	mutex_unlock(&users_lock);
}

notrace bool ktrace_cpu_counters_enter(unsigned long *flags)
{
	raw_local_irq_save(*flags);
	/*
	 * In an interrupted reader, perf may have read the hardware without having added the value
	 * up, and the reader's own update may be half done.
	 */
	if (unlikely(__this_cpu_read(cpu_counters.reading))) {
		raw_local_irq_restore(*flags);
		return false;
	}
	__this_cpu_write(cpu_counters.reading, true);
	barrier();
	return true;
}

notrace void ktrace_cpu_counters_leave(unsigned long flags)
{
	barrier();
	__this_cpu_write(cpu_counters.reading, false);
	raw_local_irq_restore(flags);
}

/* Like perf_event_read_local(), which is not exported. */
notrace bool ktrace_cpu_counters_read(enum ktrace_cpu_counter which, struct ktrace_cpu_count *count)
{
	struct cpu_counters *of = this_cpu_ptr(&cpu_counters);
	/* Pairs with the release in publish_counter(). */
	struct perf_event *event = smp_load_acquire(&of->event[which]);

	if (unlikely(!event || READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE ||
		     READ_ONCE(event->oncpu) != raw_smp_processor_id()))
		return false;
	event->pmu->read(event);
	count->value = local64_read(&event->count);
	count->epoch = of->epoch[which];
	return true;
}
