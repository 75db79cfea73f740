/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which CPUs and tasks are recorded.
 */
#ifndef KTRACE_RECORDER_TARGET_H
#define KTRACE_RECORDER_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/cleanup.h"
#include "lib/cpumap.h"
#include "lib/error.h"

/* The words of -a -C -p -t -u --comm as they were given; NULL: not given.  Borrowed. */
struct target_options {
	bool all_cpus;		/* every task on all CPUs */
	const char *cpus;	/* every task on these CPUs */
	const char *pids, *tids, *user, *comms;
	bool no_inherit;	/* leave out the tasks that these fork */
	bool per_task;		/* each task has a ring of its own where that is possible */
	bool every_thread;	/* the threads that exist now, one by one */
	bool command;		/* a command is run: it is the target if nothing else is given */
};

/* What a capture_target points to. */
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
 * Find the CPUs and tasks that exist now.  If the target is a command, tasks[0] is 0 until the
 * caller has forked it and stores its pid.  On error @ret has to be released, too.
 */
struct error *record_target_init(const struct target_options *options, struct record_target *ret);
void record_target_deinit(struct record_target *target);

#endif
