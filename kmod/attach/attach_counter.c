// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel counters: perf events that the kernel itself opens, with our overflow handler.  They exist
 * for every trace event, wherever it is declared.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "attach/attach.h"
#include "capture/capture.h"
#include "compat/compat.h"
#include "lib/memlock.h"

struct attachment {
	struct perf_event_attr attr;
	const struct cpumask *cpus;
	bool enabled;
	struct perf_event *counters[];	/* by CPU */
};

static notrace void overflow(struct perf_event *counter, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	const void *raw = NULL;
	u32 size = 0;

	if (likely(data->sample_flags & PERF_SAMPLE_RAW)) {
		raw = data->raw->frag.data;
		size = data->raw->frag.size;
	}
	ktrace_capture_record(counter->overflow_handler_context, raw, size, data->period, regs);
}

static void destroy(struct ktrace_event *event)
{
	struct attachment *attachment = event->attachment;
	unsigned int cpu;

	/*
	 * perf waits for a grace period for each event that it releases.  Expediting grace periods
	 * disturbs all CPUs that are not idle, so we do it only here.  Where the administrator has
	 * forbidden it (rcupdate.rcu_normal, the default on PREEMPT_RT), it has no effect.
	 */
	rcu_expedite_gp();
	for_each_possible_cpu(cpu)
		if (attachment->counters[cpu])
			perf_event_release_kernel(attachment->counters[cpu]);
	rcu_unexpedite_gp();
	kfree(attachment);
}

static int create_error(long err)
{
	switch (err) {
	case -EINVAL:
		/* perf_trace_init() has found no event with this number. */
		return -ENOENT;
	case -EACCES:
		/* A security module refused. */
		return -EPERM;
	case -ENOMEM:
	case -EINTR:
		return err;
	default:
		/*
		 * This includes EPERM.  The caller is privileged, but some events refuse anybody
		 * who registers a callback, such as irq_vectors:irq_work_exit.
		 */
		return -ENODEV;
	}
}

static int create(struct ktrace_event *event, const struct ktrace_attach_target *target,
		  const struct cpumask *cpus)
{
	struct attachment *attachment;
	u64 bytes = struct_size(attachment, counters, nr_cpu_ids) +
		    cpumask_weight(cpus) * sizeof(struct perf_event);
	struct perf_event *counter;
	unsigned int cpu, nr = 0;
	int err = ktrace_memlock_charge_event(target->memlock, bytes);

	if (err)
		return err;
	err = -ENOMEM;
	attachment = kzalloc(struct_size(attachment, counters, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!attachment)
		goto err_uncharge;
	attachment->cpus = cpus;
	attachment->attr = (struct perf_event_attr){
		.type = target->type,
		.size = sizeof(attachment->attr),
		.config = target->config,
		.sample_period = 1,
		/*
		 * Without PERIOD, an event with a __perf_count() would call the handler that many
		 * times.
		 */
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD,
		.disabled = 1,
		/* ftrace:function requires this, and no counter of ours has call chains. */
		.exclude_callchain_user = 1,
	};
	event->attachment = attachment;

	for_each_cpu(cpu, cpus) {
		counter = perf_event_create_kernel_counter(&attachment->attr, cpu, NULL, overflow,
							   event);
		if (IS_ERR(counter)) {
			err = create_error(PTR_ERR(counter));
			if (err == -ENODEV && !cpu_online(cpu))
				continue;
			goto err_destroy;
		}
		attachment->counters[cpu] = counter;
		nr++;
	}
	err = -ENODEV;
	if (!nr)
		goto err_destroy;
	return 0;

err_destroy:
	destroy(event);
err_uncharge:
	ktrace_memlock_uncharge(target->memlock, bytes);
	return err;
}

static int enable(struct ktrace_event *event)
{
	struct attachment *attachment = event->attachment;
	unsigned int cpu;

	attachment->enabled = true;
	for_each_possible_cpu(cpu)
		if (attachment->counters[cpu])
			perf_event_enable(attachment->counters[cpu]);
	return 0;
}

static void disable(struct ktrace_event *event)
{
	struct attachment *attachment = event->attachment;
	unsigned int cpu;

	attachment->enabled = false;
	for_each_possible_cpu(cpu)
		if (attachment->counters[cpu])
			perf_event_disable(attachment->counters[cpu]);
}

/* perf removes its events from a CPU that goes offline, and does not bring them back. */
static bool is_taken_away(const struct perf_event *counter)
{
	/*
	 * If the counter is just being removed, its CPU has yet to come back, and we are called
	 * again.
	 */
	return !(data_race(counter->attach_state) & PERF_ATTACH_CONTEXT);
}

static void follow(struct ktrace_event *event)
{
	struct attachment *attachment = event->attachment;
	struct perf_event *old, *counter;
	unsigned int cpu;

	for_each_cpu_and(cpu, attachment->cpus, cpu_online_mask) {
		old = attachment->counters[cpu];
		if (old && !is_taken_away(old))
			continue;
		counter = perf_event_create_kernel_counter(&attachment->attr, cpu, NULL, overflow,
							   event);
		if (IS_ERR(counter)) {
			/* ENODEV means that the CPU is gone again. */
			if (PTR_ERR(counter) != -ENODEV)
				pr_warn_ratelimited("CPU %u is back, but an event cannot be captured there (error %ld): start the recording again\n",
						    cpu, PTR_ERR(counter));
			continue;
		}
		attachment->counters[cpu] = counter;
		if (attachment->enabled)
			perf_event_enable(counter);
		if (old)
			perf_event_release_kernel(old);
	}
}

const struct ktrace_attach_ops ktrace_attach_counter_ops = {
	.path = KTRACE_PATH_COUNTER,
	.feature = KTRACE_FEATURE_COUNTER,
	/* perf checks for recursion before it calls our handler. */
	.stats_flags = KTRACE_STATS_BOUNDED,
	.create = create,
	.enable = enable,
	.disable = disable,
	.follow = follow,
	.destroy = destroy,
};
