// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel counters: perf events of the kernel's own whose overflow handler is
 * ours.  They exist for every trace event, whoever declared it.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/slab.h>

#include "attach.h"
#include "capture.h"

static notrace void overflow(struct perf_event *counter, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	const void *raw = NULL;
	u32 size = 0;

	if (likely(data->sample_flags & PERF_SAMPLE_RAW)) {
		raw = data->raw->frag.data;
		size = data->raw->frag.size;
	}
	ktrace_capture_record(counter->overflow_handler_context, raw, size,
			      instruction_pointer(regs), data->period,
			      user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL);
}

static void destroy(struct ktrace_event *event)
{
	struct perf_event **counters = event->attachment;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (counters[cpu])
			perf_event_release_kernel(counters[cpu]);
	kfree(counters);
}

static int create_error(long err)
{
	switch (err) {
	case -EINVAL:
		/* perf_trace_init() found no event of this number. */
		return -ENOENT;
	case -EACCES:
		/* A security module. */
		return -EPERM;
	case -ENOMEM:
	case -EINTR:
		return err;
	default:
		/*
		 * Also EPERM: the caller is privileged, but some events refuse
		 * whoever would be called back, as irq_vectors:irq_work_exit.
		 */
		return -ENODEV;
	}
}

static int create(struct ktrace_event *event, const struct ktrace_attach_target *target,
		  const struct cpumask *cpus)
{
	struct perf_event_attr attr = {
		.type = target->type,
		.size = sizeof(attr),
		.config = target->config,
		.sample_period = 1,
		/*
		 * Without PERIOD, an event with a __perf_count() would come as
		 * that many overflows.
		 */
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD,
		.disabled = 1,
		/* ftrace:function insists, and no counter of ours has call chains. */
		.exclude_callchain_user = 1,
	};
	struct perf_event **counters, *counter;
	unsigned int cpu, nr = 0;
	int err;

	counters = kcalloc(nr_cpu_ids, sizeof(*counters), GFP_KERNEL_ACCOUNT);
	if (!counters)
		return -ENOMEM;
	event->attachment = counters;

	for_each_cpu(cpu, cpus) {
		counter = perf_event_create_kernel_counter(&attr, cpu, NULL, overflow, event);
		if (IS_ERR(counter)) {
			err = create_error(PTR_ERR(counter));
			if (err == -ENODEV && !cpu_online(cpu))
				continue;
			goto err_destroy;
		}
		counters[cpu] = counter;
		nr++;
	}
	err = -ENODEV;
	if (!nr)
		goto err_destroy;
	return 0;

err_destroy:
	destroy(event);
	return err;
}

static int enable(struct ktrace_event *event)
{
	struct perf_event **counters = event->attachment;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (counters[cpu])
			perf_event_enable(counters[cpu]);
	return 0;
}

static void disable(struct ktrace_event *event)
{
	struct perf_event **counters = event->attachment;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (counters[cpu])
			perf_event_disable(counters[cpu]);
}

const struct ktrace_attach_ops ktrace_attach_counter_ops = {
	.path = KTRACE_PATH_COUNTER,
	.feature = KTRACE_FEATURE_COUNTER,
	/* perf's check against recursion comes before our handler. */
	.stats_flags = KTRACE_STATS_BOUNDED,
	.create = create,
	.enable = enable,
	.disable = disable,
	.destroy = destroy,
};
