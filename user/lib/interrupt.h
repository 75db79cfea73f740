/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signals of a program that must finish what it has begun: they are blocked, and taken
 * where the main thread waits or asks for them.
 */
#ifndef KTRACE_LIB_INTERRUPT_H
#define KTRACE_LIB_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>

struct pollfd;

/*
 * From now on SIGUSR2 is a request to this process, and SIGXFSZ nothing, not its end.  What
 * it executes later gets the default actions.
 */
void interrupt_begin(void);

/* Block INT, TERM, HUP, CHLD and USR2 until interrupt_end(); before any thread is made. */
void interrupt_block(void);

/* Unblock them, with their default actions. */
void interrupt_end(void);

/* The first of INT, TERM and HUP that came, after those that are pending were taken; 0: none. */
int interrupt_signal(void);

/* Whether a second one came, which means: at once. */
bool interrupt_is_urgent(void);

/* Whether SIGUSR2 came since the last call, as far as signals were taken. */
bool interrupt_requested(void);

/*
 * ppoll() in which these signals are taken.  It returns at once, with -1 and EINTR, if one
 * that ends the process was taken before.
 */
int interrupt_poll(struct pollfd *fds, size_t nr, unsigned int timeout_ms);

/*
 * Wait until a pipe takes more bytes; 0 or -EINTR.  Once a signal has asked for the end, its
 * reader is waited for only so long.  Only in the main thread.
 */
int interrupt_wait_writable(int fd);

#endif
