/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs a command inside nested `ktrace record` commands, so that all of them capture each of its
 * firings.  An outer recorder begins earlier and ends later than an inner one.
 */
#ifndef KTRACE_CMD_CHECK_CHECK_NEST_H
#define KTRACE_CMD_CHECK_CHECK_NEST_H

#include "check/task_tree.h"
#include "cmd/scratch_folder.h"
#include "lib/cleanup.h"
#include "lib/error.h"

#define NEST_RECORDERS_MAX 3

struct nest {
	struct held_folder folder;	/* folder of the files; removed at the end */
	char *pid_file;		/* lists the tasks between us and the command, its parent first */
	struct {
		const char *via, *method;	/* of --via and --path; NULL: none; borrowed */
		char *path;
	} recorders[NEST_RECORDERS_MAX];	/* the outermost first */
	size_t nr;
};

struct error *nest_init(struct nest *nest);
void nest_deinit(struct nest *nest);

/* Add one more recorder inside the existing ones, with these values of --via and --path. */
struct error *nest_add(struct nest *nest, const char *via, const char *method);

/*
 * Find the tasks of the command: those below the script that runs it, except the recorders and this
 * process, because not all recorders record these.
 */
struct error *nest_tasks(const struct nest *nest, struct task_tree *ret);

/*
 * Record @events ("sched:switch,irq:entry") on all CPUs while @command (ended by NULL) runs; its
 * output goes to standard error.  When all recorders record, the events are also enabled in the
 * tracefs instance in the folder @last, so that its probes are called last.  It is an error if the
 * command fails, or if a signal asks us to end (lib/ending.h); no recorder is left running then.
 */
struct error *nest_run(struct nest *nest, const char *events, const char *pages, const char *last,
		       char **command);

#endif
