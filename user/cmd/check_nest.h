/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A command that runs inside one `ktrace record` inside another ..., so that
 * each of its firings is captured by all of them: whoever records further out
 * begins earlier and ends later.
 */
#ifndef KTRACE_CMD_CHECK_NEST_H
#define KTRACE_CMD_CHECK_NEST_H

#include "check/task_tree.h"
#include "cmd/check_folder.h"
#include "lib/cleanup.h"
#include "lib/error.h"

#define NEST_RECORDERS_MAX 3

struct nest {
	struct held_folder folder;	/* for the files; removed at the end */
	char *pid_file;		/* with the tasks between us and the command, its parent first */
	struct {
		const char *const *options;	/* of record, ended by NULL; borrowed */
		char *path;
	} recorders[NEST_RECORDERS_MAX];	/* the outermost first */
	size_t nr;
};

struct error *nest_init(struct nest *nest);
void nest_deinit(struct nest *nest);
DEFINE_CLEANUP(nest, struct nest, nest_deinit)

/* One more, inside those that are there. */
struct error *nest_add(struct nest *nest, const char *const *options);

/*
 * Its tasks: those below the script that runs the command, but for the recorders
 * and ourselves, whom not everybody records.
 */
struct error *nest_tasks(const struct nest *nest, struct task_tree *ret);

/*
 * Record @events ("sched:*,irq:*") on all CPUs while @command (ended by NULL)
 * runs; its output goes to standard error.  A command that fails is an error, as is
 * a signal that asks us to end (lib/ending.h): both end with all recorders gone.
 */
struct error *nest_run(struct nest *nest, const char *events, const char *pages, char **command);

#endif
