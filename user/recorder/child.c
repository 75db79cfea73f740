// SPDX-License-Identifier: GPL-2.0
#include "recorder/child.h"

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

/* The time that a well-behaved recorder needs to write its last records. */
#define GRACE_MS 3000

/* Descriptors that are passed to it as options. */
struct passed {
	char ready[32];
	char output[32];	/* "": a command's output goes with its messages */
};

/* Make the arguments `ktrace record --ready=FD` and the rest of @argv; NULL: out of memory. */
static char **add_passed(char *const *argv, struct passed *passed)
{
	size_t nr = 0, given = 0;
	char **words;

	while (argv[nr])
		nr++;
	words = calloc(nr + 3, sizeof(*words));
	if (!words || nr < 2)
		return NULL;
	words[given++] = argv[0];
	words[given++] = argv[1];
	words[given++] = passed->ready;
	if (passed->output[0])
		words[given++] = passed->output;
	memcpy(words + given, argv + 2, (nr - 2) * sizeof(*words));
	return words;
}

static _Noreturn void child(const char *program, char *const *argv, int out, int messages,
			    int ready, bool dies_with_us)
{
	struct passed passed = { .output = "" };
	char **words;
	sigset_t none;
	int ours;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	/* ^C is meant for the reader, which then asks us to end. */
	signal(SIGINT, SIG_DFL);
	setpgid(0, 0);
	if (dies_with_us)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(out, STDOUT_FILENO);
	if (messages >= 0) {
		ours = dup(STDERR_FILENO);
		if (ours >= 0)
			snprintf(passed.output, sizeof(passed.output), "--command-output=%d", ours);
		dup2(messages, STDERR_FILENO);
	}
	fcntl(ready, F_SETFD, 0);
	snprintf(passed.ready, sizeof(passed.ready), "--ready=%d", ready);
	words = add_passed(argv, &passed);
	if (words)
		execvp(program, words);
	fprintf(stderr, "ktrace: Cannot run '%s': %s.\n", program, strerror(errno));
	_exit(127);
}

struct error *recorder_child_start(const char *program, char *const *argv, bool keep_messages,
			     bool dies_with_us, struct recorder_child *ret)
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
	/* A large pipe saves context switches when much is recorded, but is not essential. */
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
	*ret = (struct recorder_child){ .pid = pid, .records = ends[0], .ready = ready[0],
				   .messages = messages };
	return NULL;
}

void recorder_child_interrupt(struct recorder_child *recorder)
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

/* Note that it has ended with @status. */
static int ended(struct recorder_child *recorder, int status)
{
	recorder->pid = 0;
	recorder->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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
		reap(recorder->pid, &status, 0);
	return ended(recorder, status);
}

/* Reap @pid; false: it still runs after GRACE_MS. */
static bool reap_soon(pid_t pid, int *status)
{
	const struct timespec tick = { .tv_nsec = 5000000 };

	for (int ms = 0; ms < GRACE_MS; ms += 5) {
		if (reap(pid, status, WNOHANG))
			return true;
		nanosleep(&tick, NULL);
	}
	return false;
}

static int end_and_reap(struct recorder_child *recorder)
{
	int status = 0;

	if (!reap(recorder->pid, &status, WNOHANG)) {
		kill(recorder->pid, SIGTERM);
		if (!reap_soon(recorder->pid, &status)) {
			kill(recorder->pid, SIGKILL);
			reap(recorder->pid, &status, 0);
		}
	}
	return ended(recorder, status);
}

int recorder_child_reap(struct recorder_child *recorder)
{
	int status = 0;

	if (!recorder->pid || reap_soon(recorder->pid, &status))
		return ended(recorder, status);
	return end_and_reap(recorder);
}

int recorder_child_finish(struct recorder_child *recorder)
{

	if (recorder->records >= 0)
		close(recorder->records);
	if (recorder->ready >= 0)
		close(recorder->ready);
	recorder->records = recorder->ready = -1;
	return recorder->pid ? end_and_reap(recorder) : 0;
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
