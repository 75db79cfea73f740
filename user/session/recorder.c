// SPDX-License-Identifier: GPL-2.0
#include "session/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/file.h"

/* What a well-behaved recorder needs to write its last records. */
#define GRACE_MS 3000

/* `ktrace record --ready=FD` and the rest of @argv; NULL: out of memory. */
static char **add_ready(char *const *argv, int fd, char option[32])
{
	size_t nr = 0;
	char **words;

	while (argv[nr])
		nr++;
	words = calloc(nr + 2, sizeof(*words));
	if (!words || nr < 2)
		return NULL;
	snprintf(option, 32, "--ready=%d", fd);
	words[0] = argv[0];
	words[1] = argv[1];
	words[2] = option;
	memcpy(words + 3, argv + 2, (nr - 2) * sizeof(*words));
	return words;
}

static _Noreturn void child(const char *program, char *const *argv, int out, int messages,
			    int ready, bool dies_with_us)
{
	char option[32], **words = add_ready(argv, ready, option);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	/* ^C is for the reader, which then asks us. */
	signal(SIGINT, SIG_DFL);
	setpgid(0, 0);
	if (dies_with_us)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(out, STDOUT_FILENO);
	if (messages >= 0)
		dup2(messages, STDERR_FILENO);
	fcntl(ready, F_SETFD, 0);
	if (words)
		execvp(program, words);
	fprintf(stderr, "ktrace: Cannot run '%s': %s.\n", program, strerror(errno));
	_exit(127);
}

struct error *recorder_start(const char *program, char *const *argv, bool keep_messages,
			     bool dies_with_us, struct recorder *ret)
{
	int ends[2], ready[2], messages = -1;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return error_errno(errno, "Cannot create a pipe");
	if (pipe2(ready, O_CLOEXEC)) {
		close(ends[0]);
		close(ends[1]);
		return error_errno(errno, "Cannot create a pipe");
	}
	/* Fewer switches to and fro when much is recorded; not essential. */
	fcntl(ends[1], F_SETPIPE_SZ, 1024 * 1024);
	if (keep_messages)
		messages = memfd_create("messages", MFD_CLOEXEC);
	fflush(NULL);
	pid = fork();
	if (!pid)
		child(program, argv, ends[1], messages, ready[1], dies_with_us);
	close(ends[1]);
	close(ready[1]);
	if (pid < 0) {
		close(ends[0]);
		close(ready[0]);
		if (messages >= 0)
			close(messages);
		return error_errno(errno, "Cannot start the recorder");
	}
	*ret = (struct recorder){ .pid = pid, .records = ends[0], .ready = ready[0],
				   .messages = messages };
	return NULL;
}

void recorder_interrupt(struct recorder *recorder)
{
	if (recorder->pid)
		kill(recorder->pid, SIGINT);
}

static bool reap(pid_t pid, int *status, int options)
{
	pid_t got;

	do {
		got = waitpid(pid, status, options);
	} while (got < 0 && errno == EINTR);
	return got != 0;
}

static int exit_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int recorder_wait(struct recorder *recorder)
{
	int status = 0;

	if (recorder->pid)
		reap(recorder->pid, &status, 0);
	recorder->pid = 0;
	return exit_status(status);
}

int recorder_finish(struct recorder *recorder)
{
	const struct timespec tick = { .tv_nsec = 5000000 };
	int status = 0;

	if (recorder->records >= 0)
		close(recorder->records);
	if (recorder->ready >= 0)
		close(recorder->ready);
	recorder->records = recorder->ready = -1;
	if (!recorder->pid)
		return 0;
	if (!reap(recorder->pid, &status, WNOHANG)) {
		kill(recorder->pid, SIGTERM);
		for (int ms = 0; ms < GRACE_MS; ms += 5) {
			if (reap(recorder->pid, &status, WNOHANG))
				goto out;
			nanosleep(&tick, NULL);
		}
		kill(recorder->pid, SIGKILL);
		reap(recorder->pid, &status, 0);
	}
out:
	recorder->pid = 0;
	return exit_status(status);
}

char *recorder_messages(const struct recorder *recorder)
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

void recorder_path(const struct recorder *recorder, char path[32])
{
	snprintf(path, 32, "/dev/fd/%d", recorder->records);
}
