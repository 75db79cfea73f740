// SPDX-License-Identifier: GPL-2.0
#include "terminal/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/color.h"
#include "lib/log.h"

enum pager_mode pager_mode;

static pid_t pager_pid;
static bool shows_colors;

/* Options of less, from its environment or its command line. */
static bool has_raw_option(const char *options)
{
	return strpbrk(options, "Rr") || strstr(options, "RAW-CONTROL-CHARS");
}

/* Debian's `pager` is a link to the program that was chosen. */
static void find_colors(const char *file, const char *command)
{
	_cleanup_free_ char *program = realpath(file, NULL);
	const char *name = program ? strrchr(program, '/') : NULL;
	const char *less = getenv("LESS"), *lv = getenv("LV");

	if (name && !strcmp(name, "/less"))
		shows_colors = !less || has_raw_option(less) ||
			has_raw_option(command + strcspn(command, " \t"));
	else
		shows_colors = name && !strcmp(name, "/lv") && (!lv || strstr(lv, "-c"));
}

/* @command is @program with options. */
static bool can_be_run(const char *program, const char *command)
{
	_cleanup_free_ char *copy = NULL;
	const char *path = getenv("PATH");
	char *folder, *save, file[4096];

	if (strchr(program, '/')) {
		find_colors(program, command);
		return !access(program, X_OK);
	}
	copy = path ? strdup(path) : NULL;
	for (folder = copy ? strtok_r(copy, ":", &save) : NULL; folder;
	     folder = strtok_r(NULL, ":", &save)) {
		snprintf(file, sizeof(file), "%s/%s", folder, program);
		if (!access(file, X_OK)) {
			find_colors(file, command);
			return true;
		}
	}
	return false;
}

/* Returns the command for the shell, or NULL if no pager is wanted or none is installed. */
static const char *choose(void)
{
	static const char *const installed[] = { "pager", "less" };
	static const char *const variables[] = { "KTRACE_PAGER", "PAGER" };

	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		const char *value = getenv(variables[i]);
		char word[256];

		if (!value)
			continue;
		if (!*value || !strcmp(value, "cat"))
			return NULL;
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(value, " \t"), value);
		/* Only the shell knows whether a value with these characters can be run. */
		if (strpbrk(word, "'\"$`=;&|<>(){}*?~\\") || can_be_run(word, value))
			return value;
		log_warning("Cannot run the pager '%s' that %s names; printing without one.", word,
			    variables[i]);
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(installed); i++)
		if (can_be_run(installed[i], installed[i]))
			return installed[i];
	return NULL;
}

static void wait_for_child(void)
{
	while (waitpid(pager_pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* The pager owns the terminal until the user quits it, so we wait for that before we end. */
static void end_by_signal(int number)
{
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	wait_for_child();
	signal(number, SIG_DFL);
	raise(number);
}

static void handle_signals(void)
{
	static const int numbers[] = { SIGINT, SIGHUP, SIGTERM, SIGQUIT };
	struct sigaction action = { .sa_handler = end_by_signal, .sa_flags = SA_NODEFER };
	struct sigaction old;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
}

/* Tables are fitted to the width of the terminal, which cannot be asked of a pipe. */
static void tell_width(void)
{
	struct winsize size;
	char text[16];

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return;
	snprintf(text, sizeof(text), "%u", size.ws_col);
	setenv("COLUMNS", text, 0);
}

static void run_pager(const char *command, const int pipe_ends[2])
{
	dup2(pipe_ends[0], STDIN_FILENO);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* If there is no process for it, standard output is not changed. */
static void fork_pager(const char *command, const int pipe_ends[2])
{
	sigset_t all, before;

	/* A signal that ends us while the pager starts has to find its handler, and the pipe. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pager_pid = fork();
	if (!pager_pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		run_pager(command, pipe_ends);
	}
	if (pager_pid > 0) {
		dup2(pipe_ends[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO))
			dup2(pipe_ends[1], STDERR_FILENO);
		handle_signals();
		color_begin_pager(shows_colors);
	} else {
		pager_pid = 0;
	}
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void pager_start(void)
{
	const char *command;
	int pipe_ends[2];

	if (pager_pid || pager_mode == PAGER_NEVER || !isatty(STDOUT_FILENO))
		return;
	command = choose();
	if (!command)
		return;
	fflush(stdout);
	fflush(stderr);
	tell_width();
	if (!pipe(pipe_ends))
		fork_pager(command, pipe_ends);
}

bool pager_is_used(void)
{
	return pager_pid;
}

bool pager_is_terminal(void)
{
	return pager_pid || isatty(STDOUT_FILENO);
}

void pager_wait(void)
{
	if (!pager_pid)
		return;
	/* Standard error may be the second descriptor that keeps the pipe open. */
	fflush(stderr);
	close(STDERR_FILENO);
	wait_for_child();
}
