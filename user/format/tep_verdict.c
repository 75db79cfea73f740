// SPDX-License-Identifier: GPL-2.0
#include "format/tep_verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <traceevent/event-parse.h>
#include <unistd.h>

/* If parsing takes longer than this, in seconds, it is considered an endless loop. */
#define PARSE_SECONDS 10

static void quiet_child(void)
{
	const struct rlimit no_core = { 0, 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setrlimit(RLIMIT_CORE, &no_core);
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	/* Remove the handlers that a sanitizer or a test installed for the parent. */
	signal(SIGSEGV, SIG_DFL);
	signal(SIGABRT, SIG_DFL);
	alarm(PARSE_SECONDS);
}

static enum tep_verdict tep_verdict_parse(const char *system, const char *text, size_t len)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event = NULL;

	if (!tep)
		return TEP_UNKNOWN;
	tep_set_loglevel(TEP_LOG_NONE);
	if (tep_parse_format(tep, &event, text, len, system) || !event ||
	    (event->flags & TEP_EVENT_FL_FAILED))
		return TEP_REFUSES;
	return TEP_ACCEPTS;
}

enum tep_verdict tep_verdict_of(const char *system, const char *text, size_t len)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return TEP_UNKNOWN;
	if (!pid) {
		quiet_child();
		_exit(tep_verdict_parse(system, text, len));
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return TEP_UNKNOWN;
	if (WIFSIGNALED(status))
		return TEP_CRASHES;
	return WEXITSTATUS(status) <= TEP_UNKNOWN ? (enum tep_verdict)WEXITSTATUS(status) :
						    TEP_CRASHES;
}
