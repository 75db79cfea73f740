// SPDX-License-Identifier: GPL-2.0
#include "lib/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

#include "lib/error.h"
#include "lib/log.h"

/* After a signal asked the program to end, a reader that takes nothing for so long has stalled. */
#define READER_MS	5000

static volatile sig_atomic_t caught, nr_caught, requested;

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR2 };
#define NR_SIGNALS (sizeof(signals) / sizeof(signals[0]))

static void interrupt_on_signal(int signal)
{
	if (signal == SIGUSR2) {
		requested = true;
	} else if (signal != SIGCHLD && signal != SIGXFSZ) {
		if (!caught)
			caught = signal;
		nr_caught++;
	}
}

static sigset_t all_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < NR_SIGNALS; i++)
		sigaddset(&set, signals[i]);
	return set;
}

void interrupt_begin(void)
{
	struct sigaction action = { .sa_handler = interrupt_on_signal, .sa_flags = SA_RESTART };

	sigaction(SIGUSR2, &action, NULL);
	/*
	 * Without SIGXFSZ, write() fails when the file reaches its size limit, and we report
	 * that.
	 */
	sigaction(SIGXFSZ, &action, NULL);
}

void interrupt_block(void)
{
	struct sigaction action = { .sa_handler = interrupt_on_signal };
	sigset_t set = all_signals();

	for (size_t i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i], &action, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void interrupt_end(void)
{
	sigset_t set = all_signals();

	for (size_t i = 0; i < NR_SIGNALS; i++)
		signal(signals[i], SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/*
 * ppoll() delivers signals only if it has to wait, so we poll no descriptors here.  SIGCHLD is left
 * to interrupt_poll().  A caller that consumed it here, after it had checked the child, would wait
 * for ever.
 */
int interrupt_signal(void)
{
	const struct timespec now = { 0 };
	sigset_t set = all_signals();

	sigdelset(&set, SIGCHLD);
	for (int signal; (signal = sigtimedwait(&set, NULL, &now)) > 0; )
		interrupt_on_signal(signal);
	return caught;
}

bool interrupt_is_urgent(void)
{
	interrupt_signal();
	return nr_caught > 1;
}

bool interrupt_requested(void)
{
	bool ret = requested;

	requested = false;
	return ret;
}

int interrupt_poll(struct pollfd *fds, size_t nr, unsigned int timeout_ms)
{
	const struct timespec timeout = {
		.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L,
	};
	sigset_t none;

	if (caught) {
		errno = EINTR;
		return -1;
	}
	sigemptyset(&none);
	return ppoll(fds, nr, &timeout, &none);
}

int interrupt_wait_writable(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLOUT };
	int n = 0;

	while (n <= 0 && !interrupt_signal())
		n = interrupt_poll(&pollfd, 1, READER_MS);
	for (int ms = 0; n <= 0 && ms < READER_MS && !interrupt_is_urgent(); ms += 100)
		n = poll(&pollfd, 1, 100);
	return n > 0 ? 0 : -EINTR;
}

void interrupt_end_by_signal(void)
{
	int signal = interrupt_signal();

	if (!signal)
		return;
	interrupt_end();
	raise(signal);
}

struct error *interrupt_quit(struct error *err)
{
	int signal = interrupt_signal();

	if (!signal || signal == SIGINT)
		return err;
	if (err)
		error_report(err);
	interrupt_end_by_signal();
	return NULL;
}
