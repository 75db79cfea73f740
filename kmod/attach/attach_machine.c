// SPDX-License-Identifier: GPL-2.0
/* Violations: events that the machines of a session fire, and not the kernel. */
#include <linux/types.h>

#include "attach/attach.h"
#include "capture/capture.h"

static enum ktrace_template_state attach_machine_look(const struct ktrace_attach_target *target)
{
	return KTRACE_TEMPLATE_NONE;
}

static int attach_machine_create(struct ktrace_event *event,
				 const struct ktrace_attach_target *target,
				 const struct cpumask *cpus)
{
	event->type = target->config;
	event->header.misc = PERF_RECORD_MISC_KERNEL;
	return 0;
}

static int attach_machine_enable(struct ktrace_event *event)
{
	return 0;
}

static void attach_machine_disable(struct ktrace_event *event)
{
}

const struct ktrace_attach_ops ktrace_attach_machine_ops = {
	.path = KTRACE_PATH_MACHINE,
	.feature = KTRACE_FEATURE_MACHINE,
	.takes_violations = true,
	.look = attach_machine_look,
	.create = attach_machine_create,
	.enable = attach_machine_enable,
	.disable = attach_machine_disable,
	.destroy = attach_machine_disable,
};
