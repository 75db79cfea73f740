// SPDX-License-Identifier: GPL-2.0
#include "cmd/check/check_nest.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/ending.h"
#include "lib/file.h"
#include "lib/spawn.h"
#include "recorder/child.h"
#include "terminal/words.h"

/*
 * The script first enables the events $3 in the tracefs instance $2.  An event that cannot be
 * enabled has no bracket, which its findings mention.  Then it writes the tasks above the command,
 * up to our process ($1), with all their threads.  Then it runs the command as a child, so that the
 * command is forked when all recorders record.  After the script has waited for a task, that task
 * still has to leave its CPU.  There is no event to wait for, hence the sleep.
 */
static const char script[] =
	"p=$$ top=$1 last=$2 IFS=,\n"
	"for e in $3; do echo $e >>\"$last/set_event\"; done 2>/dev/null\n"
	"unset IFS; shift 3\n"
	"while :; do\n"
	"	for t in /proc/$p/task/*; do echo ${t##*/}; done\n"
	"	[ $p != $top ] || break\n"
	"	read -r pid comm state p rest </proc/$p/stat || exit\n"
	"done >\"$0\"\n"
	"\"$@\" >&2; s=$?; sleep 0.2; exit $s";

struct error *nest_init(struct nest *nest)
{
	struct error *err;

	*nest = (struct nest){ .folder = HELD_FOLDER_INIT };
	err = scratch_folder_create(&nest->folder, "ktrace-check");
	if (err)
		return err;
	if (asprintf(&nest->pid_file, "%s/pid", nest->folder.path) < 0) {
		nest->pid_file = NULL;
		return &error_no_memory;
	}
	return NULL;
}

void nest_deinit(struct nest *nest)
{
	for (size_t i = 0; i < nest->nr; i++)
		free(nest->recorders[i].path);
	scratch_folder_destroy(&nest->folder);
	free(nest->pid_file);
	*nest = (struct nest){ .folder = HELD_FOLDER_INIT };
}

struct error *nest_add(struct nest *nest, const char *via, const char *method)
{
	char *file;

	if (asprintf(&file, "%s/%zu.data", nest->folder.path, nest->nr) < 0)
		return &error_no_memory;
	nest->recorders[nest->nr].via = via;
	nest->recorders[nest->nr].method = method;
	nest->recorders[nest->nr++].path = file;
	return NULL;
}

/* Build the command line: each recorder runs the next one as its command. */
static void nest_add_recorders(struct words *words, const struct nest *nest, const char *events,
			       const char *pages)
{
	const struct recorder_event event = { .event = events };

	for (size_t i = 0; i < nest->nr; i++) {
		const struct recorder_command command = {
			.events = &event, .nr_events = 1, .all_cpus = true,
			.clock = "monotonic", .pages = pages,
			.via = nest->recorders[i].via, .path = nest->recorders[i].method,
			.output = nest->recorders[i].path,
		};

		recorder_command_add(&command, RECORDER_CHILD_SELF, words);
		words_add(words, "--");
	}
}

/* The script runs the command.  @self is our process id. */
static void nest_add_script(struct words *words, const struct nest *nest, const char *self,
			    const char *last, const char *events, char **command)
{
	words_add(words, "sh");
	words_add(words, "-c");
	words_add(words, script);
	words_add(words, nest->pid_file);
	words_add(words, self);
	words_add(words, last);
	words_add(words, events);
	words_add_all(words, command);
}

struct running {
	const struct nest *nest;
	pid_t pid;		/* the outermost recorder */
};

/*
 * End the command, whose parent is the script, and then the recorders; each of them ends its
 * child.
 */
static void nest_stop(void *context)
{
	const struct running *running = context;
	_cleanup_free_ char *tasks = NULL, *path = NULL, *children = NULL;
	char *save = NULL;
	int parent;

	error_free(file_read_text(running->nest->pid_file, &tasks));
	parent = tasks ? strtol(tasks, NULL, 10) : 0;
	if (parent > 0 && asprintf(&path, "/proc/%d/task/%d/children", parent, parent) < 0)
		path = NULL;
	if (path)
		error_free(file_read_text(path, &children));
	for (char *pid = children ? strtok_r(children, " \n", &save) : NULL; pid;
	     pid = strtok_r(NULL, " \n", &save))
		kill(strtol(pid, NULL, 10), SIGTERM);
	kill(running->pid, SIGTERM);
}

/* Run the recorders.  As with system(), ^\ ends only the child.  *ret_status is as in a shell. */
static struct error *nest_run_recorders(const struct nest *nest, char *const *argv, int *ret_status)
{
	const struct spawn process = {
		.program = argv[0], .argv = argv, .dies_with_us = true,
	};
	struct sigaction ignore = { .sa_handler = SIG_IGN }, quit;
	struct running running = { .nest = nest };
	struct error *err;
	int status = 0, code;

	err = spawn(&process, &running.pid);
	if (err)
		return error_prefix(err, "Cannot run a recorder");
	sigaction(SIGQUIT, &ignore, &quit);
	code = ending_wait(running.pid, nest_stop, &running, &status);
	sigaction(SIGQUIT, &quit, NULL);
	if (code)
		return error_errno(-code, "Cannot run a recorder");
	*ret_status = spawn_status(status);
	return ending_error();
}

struct error *nest_tasks(const struct nest *nest, struct task_tree *ret)
{
	_cleanup_(task_tree) struct task_tree tree = { 0 };
	_cleanup_free_ char *text = NULL;
	char *save = NULL;
	struct error *err;

	err = file_read_text(nest->pid_file, &text);
	if (err)
		return err;
	if (!task_tree_init(&tree, strtol(text, NULL, 10)))
		return &error_no_memory;
	for (char *tid = strtok_r(text, "\n", &save); tid; tid = strtok_r(NULL, "\n", &save))
		task_tree_leave_out(&tree, strtol(tid, NULL, 10));
	*ret = tree;
	tree = (struct task_tree){ 0 };
	return NULL;
}

struct error *nest_run(struct nest *nest, const char *events, const char *pages, const char *last,
		       char **command)
{
	_cleanup_(words) struct words words = { 0 };
	struct error *err;
	int status = 0;
	char self[16];
	char **argv;

	snprintf(self, sizeof(self), "%d", getpid());
	nest_add_recorders(&words, nest, events, pages);
	nest_add_script(&words, nest, self, last, events, command);
	argv = words_argv(&words);
	err = argv ? nest_run_recorders(nest, argv, &status) : &error_no_memory;
	if (!err && status)
		err = error_hint(error_new(0, "Recording while %s ran ended with status %d",
					   command[0], status),
				 "check compares nothing if the command fails");
	return err;
}
