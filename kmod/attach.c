// SPDX-License-Identifier: GPL-2.0
#include "attach.h"

#include <linux/errno.h>
#include <linux/kernel.h>

#include "capture.h"

/* The best first. */
static const struct ktrace_attach_ops *const ways[] = {
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

int ktrace_attach_create(struct ktrace_event *event, enum ktrace_path path, u32 type,
			 u64 config, const struct cpumask *cpus)
{
	int err = -ENODEV;
	int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		if (path != KTRACE_PATH_AUTO && path != ways[i]->path)
			continue;
		err = ways[i]->create(event, type, config, cpus);
		if (!err)
			event->ops = ways[i];
		if (err != -ENODEV)
			break;
	}
	return err;
}
