/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handling of SIGINT, SIGTERM and SIGHUP for a command that has to clean up before it ends.
 * Between ending_begin() and ending_finish() these signals are remembered and passed on to a child.
 * Only one command at a time may use this, in the main thread.
 */
#ifndef KTRACE_LIB_ENDING_H
#define KTRACE_LIB_ENDING_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/error.h"

/* Start to catch the signals.  Signals that were ignored before (by nohup) stay ignored. */
void ending_begin(void);

/* Returns the signal that was caught last, or 0 if there was none. */
int ending_signal(void);

/*
 * Returns an EINTR error if a signal was caught, so that the caller returns and cleans up;
 * otherwise NULL.
 */
struct error *ending_error(void);

/*
 * Send SIGTERM to @child when one of the signals comes, or at once if one was caught already.
 * With 0 no process is signalled any more: call it so before waiting for the child.
 */
void ending_pass_to(pid_t child);

/*
 * Wait for @child as waitpid() does.  When a signal is caught, or was caught before, @stop is
 * called once, outside of signal handlers; it has to make @child end.  Returns 0 or -errno.
 */
int ending_wait(pid_t child, void (*stop)(void *context), void *context, int *ret_status);

/*
 * Restore the previous signal handlers.  If a signal was caught, this call ends the process
 * by that signal.
 */
void ending_finish(void);

#endif
