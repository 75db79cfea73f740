/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ways to get at an event.  An attachment calls into capture.h whenever the
 * event fires on a CPU it was created for, between enable and disable.
 */
#ifndef KTRACE_ATTACH_H
#define KTRACE_ATTACH_H

#include <linux/types.h>
#include <linux/ktrace.h>

struct cpumask;
struct ktrace_event;

/* An event as user space names it. */
struct ktrace_attach_target {
	u32 type;
	u64 config;
	const char *system, *name;	/* NULL: not told */
};

struct ktrace_attach_ops {
	enum ktrace_path path;
	u64 feature;			/* KTRACE_FEATURE_* */
	u32 stats_flags;		/* KTRACE_STATS_* */

	/*
	 * Could the event be captured this way?  Optional: only create() can
	 * tell.
	 */
	enum ktrace_template_state (*look)(const struct ktrace_attach_target *target);
	/*
	 * Attach, disabled, to @target, on those of @cpus that are online.
	 * -ENOENT: no such event; -ENODEV: it cannot be captured this way.  Sets
	 * event->attachment.  @cpus outlive it.
	 */
	int (*create)(struct ktrace_event *event, const struct ktrace_attach_target *target,
		      const struct cpumask *cpus);
	int (*enable)(struct ktrace_event *event);
	/* Probes that have begun may still run. */
	void (*disable)(struct ktrace_event *event);
	/*
	 * CPUs have come online: also on those of them that are the event's.  Not while
	 * the others run.  Optional: where it makes no difference.
	 */
	void (*follow)(struct ktrace_event *event);
	/* Disabled before, and no probe runs any more. */
	void (*destroy)(struct ktrace_event *event);
};

extern const struct ktrace_attach_ops ktrace_attach_counter_ops;
extern const struct ktrace_attach_ops ktrace_attach_template_ops;
extern const struct ktrace_attach_ops ktrace_attach_syscall_ops;

/* KTRACE_FEATURE_* of the ways there are. */
u64 ktrace_attach_features(void);

/* What KTRACE_IOC_EVENT_PATH tells. */
void ktrace_attach_look(const struct ktrace_attach_target *target,
			enum ktrace_path *path, enum ktrace_template_state *template);

/* By the way asked for, or the best that can; sets event->ops. */
int ktrace_attach_create(struct ktrace_event *event, enum ktrace_path path,
			 const struct ktrace_attach_target *target,
			 const struct cpumask *cpus);

#endif
