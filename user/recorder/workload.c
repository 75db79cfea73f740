// SPDX-License-Identifier: GPL-2.0
#include "recorder/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/interrupt.h"

/* How often we look whether a command has ended after it was asked to. */
#define END_POLL_MS 10

static _Noreturn void workload_main(const struct workload_options *options, int go, int failed)
{
	int code;
	char word;

	if (options->errors_fd)
		dup2(options->errors_fd, STDERR_FILENO);
	if (options->to_errors)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	/* This is the task's name in records until the exec gives it another one. */
	prctl(PR_SET_NAME, "ktrace-exec");
	if (fd_read_all(go, &word, 1) != 1)
		_exit(1);
	execvp(options->argv[0], options->argv);
	code = errno;
	fd_write_all(failed, &code, sizeof(code));
	_exit(127);
}

struct error *workload_fork(const struct workload_options *options, struct workload *ret)
{
	int go[2], failed[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return error_errno(errno, "Cannot create a pipe");
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return error_errno(errno, "Cannot create a pipe");
	}
	pid = fork();
	if (!pid) {
		/*
		 * Otherwise the child would not notice our end, as it would hold the pipe
		 * open itself.
		 */
		close(go[1]);
		workload_main(options, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	if (pid < 0) {
		close(go[1]);
		close(failed[0]);
		return error_errno(errno, "Cannot fork");
	}
	*ret = (struct workload){
		.pid = pid, .name = options->argv[0], .go = go[1], .failed = failed[0],
	};
	return NULL;
}

struct error *workload_exec(struct workload *workload)
{
	int code = 0;

	fd_write_all(workload->go, "", 1);
	/* A successful exec closes the child's end, so there is nothing to read. */
	if (fd_read_all(workload->failed, &code, sizeof(code)) == sizeof(code))
		return error_errno(code, "Cannot run '%s'", workload->name);
	return NULL;
}

bool workload_ended(struct workload *workload)
{
	if (workload->pid && !workload->reaped &&
	    waitpid(workload->pid, &workload->wait_status, WNOHANG) == workload->pid)
		workload->reaped = true;
	return !workload->pid || workload->reaped;
}

int workload_status(const struct workload *workload)
{
	return WIFSIGNALED(workload->wait_status) ? 128 + WTERMSIG(workload->wait_status) :
						    WEXITSTATUS(workload->wait_status);
}

void workload_finish(struct workload *workload)
{
	if (!workload->pid)
		return;
	if (!workload_ended(workload))
		kill(workload->pid, SIGTERM);
	if (workload->go >= 0) {
		close(take_fd(workload->go));
		close(take_fd(workload->failed));
	}
	/* If the command ignores SIGTERM, we wait for it until a second signal comes. */
	while (!workload_ended(workload) && !interrupt_is_urgent())
		poll(NULL, 0, END_POLL_MS);
}
