// SPDX-License-Identifier: GPL-2.0
#include "cmd/check_nest.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/ending.h"
#include "lib/file.h"

/*
 * First the script writes the tasks above the command, up to our process ($1), with all their
 * threads.  Then it runs the command as a child, so that the command is forked when all
 * recorders record.  When the script has waited for a task, that task still has to leave its
 * CPU, for which nothing can wait.
 */
static const char script[] =
	"p=$$ top=$1; shift\n"
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
	err = check_folder_create(&nest->folder);
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
	check_folder_destroy(&nest->folder);
	free(nest->pid_file);
	*nest = (struct nest){ .folder = HELD_FOLDER_INIT };
}

struct error *nest_add(struct nest *nest, const char *const *options)
{
	char *path;

	if (asprintf(&path, "%s/%zu.data", nest->folder.path, nest->nr) < 0)
		return &error_no_memory;
	nest->recorders[nest->nr].options = options;
	nest->recorders[nest->nr++].path = path;
	return NULL;
}

struct words {
	char **items;
	size_t nr, alloc;
};

static bool add_word(struct words *words, const char *word)
{
	return array_push(words, (char *)word);
}

static bool add_words(struct words *words, const char *const *list)
{
	for (; *list; list++)
		if (!add_word(words, *list))
			return false;
	return true;
}

/* Build the command line.  @self is our process id. */
static bool make_words(struct words *words, const struct nest *nest, const char *self,
		       const char *events, const char *pages, char **command)
{
	for (size_t i = 0; i < nest->nr; i++) {
		const char *const begin[] = {
			"/proc/self/exe", "record", "-q", "-a", "-k", "monotonic", "-m", pages,
			"-o", nest->recorders[i].path, "-e", events, NULL,
		};

		if (!add_words(words, begin) || !add_words(words, nest->recorders[i].options) ||
		    !add_word(words, "--"))
			return false;
	}
	return add_words(words, (const char *const[]){ "sh", "-c", script, nest->pid_file,
						      self, NULL }) &&
		add_words(words, (const char *const *)command) && add_word(words, NULL);
}

struct running {
	const struct nest *nest;
	pid_t pid;		/* the outermost recorder */
};

/*
 * End the command, whose parent is the script, and then the recorders; each of them ends its
 * child.
 */
static void stop(void *context)
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
static struct error *spawn(const struct nest *nest, char **words, int *ret_status)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, quit;
	struct running running = { .nest = nest };
	int status = 0, code = 0;

	sigaction(SIGQUIT, &ignore, &quit);
	fflush(NULL);
	running.pid = fork();
	if (!running.pid) {
		sigaction(SIGQUIT, &quit, NULL);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		execvp(words[0], words);
		_exit(127);
	}
	code = running.pid < 0 ? -errno : ending_wait(running.pid, stop, &running, &status);
	sigaction(SIGQUIT, &quit, NULL);
	if (code)
		return error_errno(-code, "Cannot run a recorder");
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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

struct error *nest_run(struct nest *nest, const char *events, const char *pages, char **command)
{
	struct words words = { 0 };
	struct error *err;
	int status = 0;
	char self[16];

	snprintf(self, sizeof(self), "%d", getpid());
	if (make_words(&words, nest, self, events, pages, command))
		err = spawn(nest, words.items, &status);
	else
		err = &error_no_memory;
	free(words.items);
	if (!err && status)
		err = error_hint(error_new(0, "Recording while %s ran ended with status %d",
					   command[0], status),
				 "Nothing is compared of a command that fails");
	return err;
}
