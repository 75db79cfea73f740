// SPDX-License-Identifier: GPL-2.0
#include "lib/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"

static void set_streams(const struct spawn *s)
{
	if (s->out)
		dup2(s->out, STDOUT_FILENO);
	if (s->errors)
		dup2(s->errors, STDERR_FILENO);
	if (s->out_to_errors)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	for (const int *fd = s->passed; fd && *fd; fd++)
		fcntl(*fd, F_SETFD, 0);
}

static void spawn_unblock(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void detach(void)
{
	spawn_unblock();
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	setpgid(0, 0);
}

/* The first steps of both kinds of children.  Other threads may exist, so nothing is allocated. */
static void begin_child(const struct spawn *s)
{
	if (s->detached)
		detach();
	if (s->unblocked)
		spawn_unblock();
	if (s->dies_with_us)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	set_streams(s);
}

struct error *spawn(const struct spawn *s, pid_t *ret)
{
	pid_t pid;

	/* Our output has to precede the program's. */
	fflush(NULL);
	pid = fork();
	if (!pid) {
		begin_child(s);
		execvp(s->program, s->argv);
		dprintf(STDERR_FILENO, "ktrace: Cannot run '%s': %s.\n", s->program,
			strerror(errno));
		_exit(127);
	}
	if (pid < 0)
		return error_errno(errno, "Cannot fork");
	*ret = pid;
	return NULL;
}

static _Noreturn void gated_child(const struct spawn *s, int go, int failed)
{
	int code;
	char word;

	begin_child(s);
	if (s->waiting_name)
		prctl(PR_SET_NAME, s->waiting_name);
	if (fd_read_all(go, &word, 1) != 1)
		_exit(1);
	execvp(s->program, s->argv);
	code = errno;
	fd_write_all(failed, &code, sizeof(code));
	_exit(127);
}

struct error *spawn_gated(const struct spawn *s, pid_t *ret, struct spawn_gate *ret_gate)
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
	fflush(NULL);
	pid = fork();
	if (!pid) {
		/* Otherwise the child would hold the pipe open itself and not notice our end. */
		close(go[1]);
		gated_child(s, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	*ret_gate = (struct spawn_gate){ .go = go[1], .failed = failed[0] };
	if (pid < 0) {
		spawn_close_gate(ret_gate);
		return error_errno(errno, "Cannot fork");
	}
	*ret = pid;
	return NULL;
}

struct error *spawn_open_gate(struct spawn_gate *gate, const char *program)
{
	int code = 0;

	fd_write_all(gate->go, "", 1);
	/* A successful exec closes the child's end, so there is nothing to read. */
	if (fd_read_all(gate->failed, &code, sizeof(code)) == sizeof(code))
		return error_errno(code, "Cannot run '%s'", program);
	return NULL;
}

void spawn_close_gate(struct spawn_gate *gate)
{
	if (gate->go <= 0)
		return;
	close(take_fd(gate->go));
	close(take_fd(gate->failed));
}

int spawn_wait(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return spawn_status(status);
}

int spawn_status(int wait_status)
{
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}
