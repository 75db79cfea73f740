/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paths by which events are captured.  Between enable and disable, an attachment calls
 * the functions of capture.h whenever its event fires on a CPU that it was created for.
 */
#ifndef KTRACE_ATTACH_H
#define KTRACE_ATTACH_H

#include <linux/types.h>
#include <linux/ktrace.h>

struct cpumask;
struct ktrace_event;
struct ktrace_attach_args;
struct ktrace_memlock;

/* The event that user space names. */
struct ktrace_attach_target {
	/* The account for the attachment's memory, if this is more than a few bytes. */
	struct ktrace_memlock *memlock;
	u32 type;
	u64 config;
	const char *system, *name;	/* NULL: user space did not name it */
	u32 user_strings;		/* as in struct ktrace_event_add */
	/* Of a function: its first byte, and whether its return is the event; 0: no function. */
	unsigned long address;
	bool at_return;
	bool is_violation;		/* found by machines, not an event of the kernel */
	/* The values to store of a function; NULL: none, or its result.  The caller owns them. */
	const struct ktrace_attach_args *args;
};

struct ktrace_attach_ops {
	enum ktrace_path path;
	u64 feature;			/* KTRACE_FEATURE_* */
	u32 stats_flags;		/* KTRACE_STATS_* */
	bool reads_strings;		/* accepts targets with user_strings */
	bool takes_functions;		/* accepts functions, and nothing else */
	bool takes_violations;		/* accepts KTRACE_EVENT_VIOLATION, and nothing else */

	/*
	 * Could this path capture the event?  Optional: without it only create() can find out.
	 */
	enum ktrace_template_state (*look)(const struct ktrace_attach_target *target);
	/*
	 * Attaches to @target, disabled, on the online ones of @cpus, and sets event->attachment.
	 * @cpus outlive the attachment.  -ENOENT: there is no such event; -ENODEV: this path cannot
	 * capture it.
	 */
	int (*create)(struct ktrace_event *event, const struct ktrace_attach_target *target,
		      const struct cpumask *cpus);
	int (*enable)(struct ktrace_event *event);
	/* Afterwards, probes that have begun may still run. */
	void (*disable)(struct ktrace_event *event);
	/*
	 * Called after CPUs have come online: attaches on the ones of the event, too.
	 * Never runs concurrently with create, enable, disable or destroy.  Optional: for paths
	 * that lose nothing when a CPU goes offline.
	 */
	void (*follow)(struct ktrace_event *event);
	/* Called once the event is disabled and no probe runs any more. */
	void (*destroy)(struct ktrace_event *event);
};

/* These kernels build kprobes on ftrace, with all registers, and catch returns by rethook. */
#if defined(CONFIG_X86_64) && defined(CONFIG_KPROBES_ON_FTRACE) && \
	defined(CONFIG_KRETPROBE_ON_RETHOOK) && defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS)
#define KTRACE_ATTACH_FUNCTIONS
#endif

extern const struct ktrace_attach_ops ktrace_attach_counter_ops;
extern const struct ktrace_attach_ops ktrace_attach_function_ops;
extern const struct ktrace_attach_ops ktrace_attach_machine_ops;
extern const struct ktrace_attach_ops ktrace_attach_template_ops;
extern const struct ktrace_attach_ops ktrace_attach_syscall_ops;

/* Waits until the kernel has forgotten all attachments.  To be called when no session is left. */
#ifdef KTRACE_ATTACH_FUNCTIONS
void ktrace_attach_exit(void);
#else
static inline void ktrace_attach_exit(void)
{
}
#endif

/* KTRACE_FEATURE_* of all paths. */
u64 ktrace_attach_features(void);

/* Finds the answers of KTRACE_IOC_EVENT_PATH. */
void ktrace_attach_look(const struct ktrace_attach_target *target,
			enum ktrace_path *path, enum ktrace_template_state *template);

/* Attaches by the requested path, or by the best possible one; sets event->ops. */
int ktrace_attach_create(struct ktrace_event *event, enum ktrace_path path,
			 const struct ktrace_attach_target *target,
			 const struct cpumask *cpus);

#endif
