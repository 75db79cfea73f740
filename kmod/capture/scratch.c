// SPDX-License-Identifier: GPL-2.0
#include "capture/scratch.h"

#include <linux/errno.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/topology.h>

#include "probes/ktrace/probe.h"

DEFINE_PER_CPU(u32, ktrace_guard);
EXPORT_PER_CPU_SYMBOL_GPL(ktrace_guard);
DEFINE_PER_CPU(struct ktrace_scratch *, ktrace_scratch_cpu);
EXPORT_PER_CPU_SYMBOL_GPL(ktrace_scratch_cpu);
static DEFINE_MUTEX(lock);

int ktrace_scratch_prepare(void)
{
	struct ktrace_scratch **scratch;
	unsigned int cpu;
	int err = 0;

	mutex_lock(&lock);
	for_each_possible_cpu(cpu) {
		scratch = per_cpu_ptr(&ktrace_scratch_cpu, cpu);
		if (*scratch)
			continue;
		*scratch = kvzalloc_node(sizeof(**scratch), GFP_KERNEL, cpu_to_node(cpu));
		if (!*scratch) {
			err = -ENOMEM;
			break;
		}
	}
	mutex_unlock(&lock);
	return err;
}

void ktrace_scratch_free(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		kvfree(per_cpu(ktrace_scratch_cpu, cpu));
}
