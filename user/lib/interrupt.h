/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signal handling for a program that must finish its work: the signals are blocked, and are
 * delivered only where the main thread waits or checks for them.
 */
#ifndef KTRACE_LIB_INTERRUPT_H
#define KTRACE_LIB_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct pollfd;

/*
 * From now on SIGUSR2 is a request to this process, and SIGXFSZ is ignored instead of ending
 * it.  Programs that it executes later get the default actions.
 */
void interrupt_begin(void);

/*
 * Block INT, TERM, HUP, CHLD and USR2 until interrupt_end().  Call it before any thread is
 * created.
 */
void interrupt_block(void);

/* Unblock the signals and restore their default actions. */
void interrupt_end(void);

/* Handle the pending signals.  Returns the first of INT, TERM and HUP that came, or 0. */
int interrupt_signal(void);

/* If such a signal came, end the process by it, so that the sender sees that it had its effect. */
void interrupt_end_by_signal(void);

/*
 * End a command that shows live activity, where INT is a way to quit, as in perf.  Without a
 * signal, or after INT, it returns @err.  After another one, it reports @err and ends the process
 * as interrupt_end_by_signal() does.
 */
struct error *interrupt_quit(struct error *err);

/* Whether a second such signal came, which means that the program has to end at once. */
bool interrupt_is_urgent(void);

/* Whether SIGUSR2 was handled since the last call. */
bool interrupt_requested(void);

/*
 * Call ppoll() with these signals unblocked.  It returns -1 and EINTR at once if a signal
 * that ends the process was handled before.
 */
int interrupt_poll(struct pollfd *fds, size_t nr, unsigned int timeout_ms);

/*
 * Wait until a pipe accepts more bytes.  Returns 0 or -EINTR.  After a signal has asked the
 * program to end, the pipe's reader gets only a limited time.  Call it in the main thread
 * only.
 */
int interrupt_wait_writable(int fd);

#endif
