/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPUs and tasks to record.
 */
#ifndef KTRACE_RECORDER_TARGET_H
#define KTRACE_RECORDER_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/cleanup.h"
#include "lib/cpumap.h"
#include "lib/error.h"

/* The arguments of -a -C -p -t -u --comm; NULL: not given.  Borrowed. */
struct target_options {
	bool all_cpus;		/* every task on all CPUs */
	const char *cpus;	/* every task on these CPUs */
	const char *pids, *tids, *user, *comms;
	bool no_inherit;	/* exclude the children of these tasks */
	bool per_task;		/* a ring per task where possible */
	bool every_thread;	/* each existing thread */
	bool command;		/* a command is run: it is the default target */
};

/* The data that a capture_target points to. */
struct record_target {
	struct cpumap cpus;
	pid_t *tasks;		/* NULL: every task */
	size_t nr_tasks;
	bool is_command;	/* tasks[0] is the command, not yet exec'ed */
	char **comms;		/* NULL: tasks of any name */
	size_t nr_comms;
};

/* Whether @options select whole CPUs rather than tasks. */
bool target_options_whole_cpus(const struct target_options *options);

/*
 * Find the existing CPUs and tasks.  If the target is a command, tasks[0] is 0 until the caller has
 * forked it and stores its pid.  On error, @ret has to be released, too.
 */
struct error *record_target_init(const struct target_options *options, struct record_target *ret);
void record_target_deinit(struct record_target *target);

#endif
