// SPDX-License-Identifier: GPL-2.0
#include "attach/attach.h"

#include <linux/errno.h>
#include <linux/kernel.h>

#include "capture/capture.h"

/*
 * KTRACE_PATH_AUTO chooses the first path that can capture the event.  Counters come last: they can
 * capture every event, but cost more.
 */
static const struct ktrace_attach_ops *const ways[] = {
#ifdef KTRACE_ATTACH_FUNCTIONS
	&ktrace_attach_function_ops,
#endif
	&ktrace_attach_machine_ops,
	&ktrace_attach_template_ops,
	&ktrace_attach_syscall_ops,
	&ktrace_attach_counter_ops,
};

u64 ktrace_attach_features(void)
{
	u64 features = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		features |= ways[i]->feature;
	return features;
}

void ktrace_attach_look(const struct ktrace_attach_target *target,
			enum ktrace_path *path, enum ktrace_template_state *template)
{
	enum ktrace_template_state found;
	int i;

	*path = KTRACE_PATH_AUTO;
	*template = KTRACE_TEMPLATE_NONE;
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		found = ways[i]->look ? ways[i]->look(target) : KTRACE_TEMPLATE_READY;
		if (ways[i]->look && *template == KTRACE_TEMPLATE_NONE)
			*template = found;
		if (*path == KTRACE_PATH_AUTO && found == KTRACE_TEMPLATE_READY)
			*path = ways[i]->path;
	}
}

int ktrace_attach_create(struct ktrace_event *event, enum ktrace_path path,
			 const struct ktrace_attach_target *target,
			 const struct cpumask *cpus)
{
	int err = -ENODEV;
	int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		if ((path != KTRACE_PATH_AUTO && path != ways[i]->path) ||
		    (target->user_strings && !ways[i]->reads_strings) ||
		    !target->address != !ways[i]->takes_functions ||
		    target->is_violation != ways[i]->takes_violations)
			continue;
		err = ways[i]->create(event, target, cpus);
		if (!err)
			event->ops = ways[i];
		if (err != -ENODEV)
			break;
	}
	return err;
}
