/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ways to get at an event.  An attachment calls ktrace_capture_record() whenever
 * the event fires on a CPU it was created for, between enable and disable.
 */
#ifndef KTRACE_ATTACH_H
#define KTRACE_ATTACH_H

#include <linux/types.h>
#include <linux/ktrace.h>

struct cpumask;
struct ktrace_event;

struct ktrace_attach_ops {
	enum ktrace_path path;
	u64 feature;			/* KTRACE_FEATURE_* */
	u32 stats_flags;		/* KTRACE_STATS_* */

	/*
	 * Attach, disabled, to the event that @type and @config name, on those
	 * of @cpus that are online.  -ENOENT: no such event; -ENODEV: it cannot
	 * be captured this way.  Sets event->attachment.
	 */
	int (*create)(struct ktrace_event *event, u32 type, u64 config,
		      const struct cpumask *cpus);
	int (*enable)(struct ktrace_event *event);
	/* Handlers that have begun may still run. */
	void (*disable)(struct ktrace_event *event);
	/* Disabled before.  The same. */
	void (*destroy)(struct ktrace_event *event);
};

extern const struct ktrace_attach_ops ktrace_attach_counter_ops;

/* KTRACE_FEATURE_* of the ways there are. */
u64 ktrace_attach_features(void);

/* By the way asked for, or the best that can; sets event->ops. */
int ktrace_attach_create(struct ktrace_event *event, enum ktrace_path path, u32 type,
			 u64 config, const struct cpumask *cpus);

#endif
