// SPDX-License-Identifier: GPL-2.0
#include "recorder/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/spawn.h"

/* The time that a well-behaved recorder needs to write its last records. */
#define GRACE_MS 3000

/* The descriptors for the child.  0 or -1: not open. */
struct child_ends {
	int records[2], ready[2];
	int messages;		/* -1: not kept */
	int errors;		/* our standard error, for a command's output; -1: not needed */
};

static void child_close_ends(struct child_ends *ends)
{
	int fds[] = { ends->records[0], ends->records[1], ends->ready[0], ends->ready[1],
		      ends->messages, ends->errors };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] > 0)
			close(fds[i]);
}

/*
 * As pipe2(), but avoids the numbers of our standard streams if these are closed: in the child the
 * descriptors become its standard streams.  Returns false with errno set; descriptors that are open
 * are then in @ret, too.
 */
static bool child_pipe(int ret[2])
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return false;
	for (int i = 0; i < 2; i++) {
		ret[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
		close(fds[i]);
	}
	return ret[0] >= 0 && ret[1] >= 0;
}

static struct error *child_open_ends(bool keep_messages, struct child_ends *ret)
{
	*ret = (struct child_ends){ .messages = -1, .errors = -1 };
	if (!child_pipe(ret->records) || !child_pipe(ret->ready))
		return error_errno(errno, "Cannot create a pipe");
	/* A large pipe saves context switches at high rates, but is not essential. */
	fcntl(ret->records[1], F_SETPIPE_SZ, 1024 * 1024);
	if (keep_messages) {
		ret->messages = memfd_create("messages", MFD_CLOEXEC);
		ret->errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	}
	return NULL;
}

static struct error *child_spawn(const struct recorder_child_options *options,
				 const struct child_ends *ends, pid_t *ret)
{
	_cleanup_(words) struct words words = { 0 };
	struct recorder_command command = options->command;
	const int passed[] = { ends->ready[1], ends->errors > 0 ? ends->errors : 0, 0 };
	struct spawn process = {
		.program = options->program,
		.out = ends->records[1],
		.errors = ends->messages > 0 ? ends->messages : 0,
		.passed = passed,
		/* ^C is meant for the reader, which then ends the recorder. */
		.detached = true,
		.dies_with_us = options->dies_with_us,
	};
	char ready[16], errors[16];

	snprintf(ready, sizeof(ready), "%d", ends->ready[1]);
	snprintf(errors, sizeof(errors), "%d", ends->errors);
	if (!command.output)
		command.output = "-";
	command.ready = ready;
	command.command_output = ends->errors > 0 ? errors : NULL;
	recorder_command_add(&command, "ktrace", &words);
	process.argv = words_argv(&words);
	return process.argv ? spawn(&process, ret) : &error_no_memory;
}

struct error *recorder_child_start(const struct recorder_child_options *options,
				   struct recorder_child *ret)
{
	struct child_ends ends;
	struct error *err;
	pid_t pid;

	err = child_open_ends(options->keep_messages, &ends);
	if (!err)
		err = child_spawn(options, &ends, &pid);
	if (!err)
		*ret = (struct recorder_child){
			.pid = pid, .records = take_fd(ends.records[0]),
			.ready = take_fd(ends.ready[0]), .messages = take_fd(ends.messages),
		};
	child_close_ends(&ends);
	return err;
}

void recorder_child_interrupt(struct recorder_child *recorder)
{
	if (recorder->pid)
		kill(recorder->pid, SIGINT);
}

static bool child_reap(pid_t pid, int *status, int options)
{
	pid_t got;

	do {
		got = waitpid(pid, status, options);
	} while (got < 0 && errno == EINTR);
	return got != 0;
}

/* Note that it has ended with @status. */
static int child_ended(struct recorder_child *recorder, int status)
{
	recorder->pid = 0;
	recorder->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return spawn_status(status);
}

bool recorder_child_records(const struct recorder_child *recorder)
{
	char word;
	ssize_t n;

	do {
		n = read(recorder->ready, &word, 1);
	} while (n < 0 && errno == EINTR);
	return n == 1;
}

int recorder_child_wait(struct recorder_child *recorder)
{
	int status = 0;

	if (recorder->pid)
		child_reap(recorder->pid, &status, 0);
	return child_ended(recorder, status);
}

/* Reap @pid; false: it still runs after GRACE_MS. */
static bool child_reap_soon(pid_t pid, int *status)
{
	const struct timespec tick = { .tv_nsec = 5000000 };

	for (int ms = 0; ms < GRACE_MS; ms += 5) {
		if (child_reap(pid, status, WNOHANG))
			return true;
		nanosleep(&tick, NULL);
	}
	return false;
}

static int child_end_and_reap(struct recorder_child *recorder)
{
	int status = 0;

	if (!child_reap(recorder->pid, &status, WNOHANG)) {
		kill(recorder->pid, SIGTERM);
		if (!child_reap_soon(recorder->pid, &status)) {
			kill(recorder->pid, SIGKILL);
			child_reap(recorder->pid, &status, 0);
		}
	}
	return child_ended(recorder, status);
}

int recorder_child_reap(struct recorder_child *recorder)
{
	int status = 0;

	if (!recorder->pid || child_reap_soon(recorder->pid, &status))
		return child_ended(recorder, status);
	return child_end_and_reap(recorder);
}

int recorder_child_finish(struct recorder_child *recorder)
{
	if (recorder->records >= 0)
		close(recorder->records);
	if (recorder->ready >= 0)
		close(recorder->ready);
	recorder->records = recorder->ready = -1;
	return recorder->pid ? child_end_and_reap(recorder) : 0;
}

char *recorder_child_messages(const struct recorder_child *recorder)
{
	struct stat st;
	char *text;
	ssize_t n;

	if (recorder->messages < 0 || fstat(recorder->messages, &st) || !st.st_size)
		return NULL;
	text = malloc(st.st_size + 1);
	n = text ? fd_pread_all(recorder->messages, text, st.st_size, 0) : 0;
	if (text)
		text[n > 0 ? n : 0] = '\0';
	return text;
}

void recorder_child_path(const struct recorder_child *recorder, char path[32])
{
	snprintf(path, 32, "/dev/fd/%d", recorder->records);
}

static void add_flag(struct words *words, const char *option, bool given)
{
	if (given)
		words_add(words, option);
}

void recorder_command_add(const struct recorder_command *c, const char *program,
			  struct words *words)
{
	words_add(words, program);
	words_add(words, "record");
	words_add(words, "-q");
	words_add_option(words, "--ready", c->ready);
	words_add_option(words, "--command-output", c->command_output);
	words_add_option(words, "-o", c->output);
	words_add_option(words, "-k", c->clock);
	words_add_option(words, "--latency", c->latency);
	words_add_option(words, "--via", c->via);
	words_add_option(words, "--path", c->path);
	for (size_t i = 0; i < c->nr_events; i++) {
		words_add_option(words, "-e", c->events[i].event);
		words_add_option(words, "--filter", c->events[i].filter);
	}
	words_add_option(words, "-C", c->cpus);
	words_add_option(words, "-p", c->pids);
	words_add_option(words, "-t", c->tids);
	add_flag(words, "-g", c->callchain);
	add_flag(words, "-d", c->addr);
	add_flag(words, "--switch-events", c->switches);
	words_add_option(words, "--fields", c->fields);
	words_add_option(words, "-m", c->pages);
	words_add_all(words, c->others);
	add_flag(words, "-a", c->all_cpus);
	if (c->command)
		words_add(words, "--");
	words_add_all(words, c->command);
}
