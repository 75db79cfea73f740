// SPDX-License-Identifier: GPL-2.0
#include "cmd/check_nest.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"

/*
 * Who is above the command up to ourselves ($1), with all threads.  Only then the
 * command, as a child: it is forked once everybody records.  A task that was waited
 * for still has to leave its CPU, which nobody can wait for.
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
	const char *base = getenv("TMPDIR");

	*nest = (struct nest){ 0 };
	if (asprintf(&nest->folder, "%s/ktrace-check-XXXXXX", base && *base ? base : "/tmp") < 0) {
		nest->folder = NULL;
		return &error_no_memory;
	}
	if (!mkdtemp(nest->folder)) {
		struct error *err = error_errno(errno, "Cannot create %s", nest->folder);

		free(take_ptr(nest->folder));
		return error_hint(err, "TMPDIR names another folder for recordings");
	}
	if (asprintf(&nest->pid_file, "%s/pid", nest->folder) < 0) {
		nest->pid_file = NULL;
		return &error_no_memory;
	}
	return NULL;
}

void nest_deinit(struct nest *nest)
{
	for (size_t i = 0; i < nest->nr; i++) {
		unlink(nest->recorders[i].path);
		free(nest->recorders[i].path);
	}
	if (nest->pid_file)
		unlink(nest->pid_file);
	if (nest->folder)
		rmdir(nest->folder);
	free(nest->pid_file);
	free(nest->folder);
	*nest = (struct nest){ 0 };
}

struct error *nest_add(struct nest *nest, const char *const *options)
{
	char *path;

	if (asprintf(&path, "%s/%zu.data", nest->folder, nest->nr) < 0)
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

/* @self: our process id. */
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

/* As system(): ^C is for the child, whose files we then remove.  A shell's status. */
static struct error *spawn(char **words, int *ret_status)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
	int status = 0, code = 0;
	pid_t pid;

	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		sigaction(SIGINT, &interrupt, NULL);
		sigaction(SIGQUIT, &quit, NULL);
		execvp(words[0], words);
		_exit(127);
	}
	if (pid < 0)
		code = errno;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	if (code)
		return error_errno(code, "Cannot start a recorder");
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return NULL;
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
		err = spawn(words.items, &status);
	else
		err = &error_no_memory;
	free(words.items);
	if (!err && status)
		err = error_hint(error_new(0, "Recording while %s ran ended with status %d",
					   command[0], status),
				 "Nothing is compared of a command that fails");
	return err;
}
