// SPDX-License-Identifier: GPL-2.0
#include "lib/ending.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/array.h"

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static struct sigaction before[ARRAY_SIZE(signals)];
static volatile sig_atomic_t caught;
static volatile pid_t told;

static void ending_on_signal(int number)
{
	int code = errno;

	caught = number;
	if (told > 0)
		kill(told, SIGTERM);
	errno = code;
}

void ending_begin(void)
{
	struct sigaction action = { .sa_handler = ending_on_signal, .sa_flags = SA_RESTART };

	caught = 0;
	told = 0;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

int ending_signal(void)
{
	return caught;
}

struct error *ending_error(void)
{
	return caught ? error_new(EINTR, "Ended by SIG%s", sigabbrev_np(caught)) : NULL;
}

void ending_pass_to(pid_t child)
{
	told = child;
	/* The signal may have come before the handler knew the child. */
	if (child > 0 && caught)
		kill(child, SIGTERM);
}

int ending_wait(pid_t child, void (*stop)(void *context), void *context, int *ret_status)
{
	sigset_t waited, mask;
	bool stopped = false;
	int code = 0;
	pid_t got;

	/* While the signals are blocked, none can be missed between two checks of the child. */
	sigemptyset(&waited);
	sigaddset(&waited, SIGCHLD);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (before[i].sa_handler != SIG_IGN)
			sigaddset(&waited, signals[i]);
	sigprocmask(SIG_BLOCK, &waited, &mask);
	while (!(got = waitpid(child, ret_status, WNOHANG))) {
		int number;

		if (caught && !stopped) {
			stop(context);
			stopped = true;
		}
		number = sigwaitinfo(&waited, NULL);
		if (number > 0 && number != SIGCHLD)
			caught = number;
	}
	if (got < 0)
		code = -errno;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return code;
}

void ending_finish(void)
{
	told = 0;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &before[i], NULL);
	if (caught)
		raise(caught);
}
