/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command that runs while it is recorded.  It is forked before any event is opened, so that its
 * pid is known, and waits for its exec until recording has begun.
 */
#ifndef KTRACE_RECORDER_WORKLOAD_H
#define KTRACE_RECORDER_WORKLOAD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/spawn.h"

struct workload_options {
	char **argv;		/* ended by NULL; NULL: there is no command */
	bool to_errors;		/* write its output to standard error, since ours takes records */
	int errors_fd;		/* its standard error; 0: same as ours */
	bool unblocked;		/* it has no blocked signals, although we may have some */
};

struct workload {
	pid_t pid;		/* 0: none */
	const char *name;	/* argv[0]; borrowed */
	struct spawn_gate gate;
	bool reaped;
	int wait_status;	/* as from wait(), once reaped */
	struct rusage usage;	/* resources that it has used, once reaped */
};

struct error *workload_fork(const struct workload_options *options, struct workload *ret);
/* Let the child execute the command, and wait until it does. */
struct error *workload_exec(struct workload *workload);
/* Returns true once the command has ended, or if there is none.  Never blocks. */
bool workload_ended(struct workload *workload);
/* Its exit status as a shell would return it, once it was reaped. */
int workload_status(const struct workload *workload);
/* End the command if it still runs, and reap it.  It may be called again. */
void workload_finish(struct workload *workload);

#endif
