/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SIGINT, SIGTERM and SIGHUP, for a command that has something to put away before
 * it ends: between ending_begin() and ending_finish() they are remembered, and
 * passed on to a child.  One command at a time, in the main thread.
 */
#ifndef KTRACE_LIB_ENDING_H
#define KTRACE_LIB_ENDING_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/error.h"

/* What was ignored before (nohup) stays ignored. */
void ending_begin(void);

/* Which of the signals came; 0: none did. */
int ending_signal(void);

/* EINTR when one came, so that the caller returns and cleans up; else NULL. */
struct error *ending_error(void);

/*
 * From now on @child gets SIGTERM when one comes, and at once if one has come
 * already; 0: nobody does.  Call it with 0 before the child is waited for.
 */
void ending_pass_to(pid_t child);

/*
 * Wait for @child as waitpid() does.  When one of the signals comes, or has come,
 * @stop is called, once and outside of signal handlers: it makes @child end.
 * Returns 0 or -errno.
 */
int ending_wait(pid_t child, void (*stop)(void *context), void *context, int *ret_status);

/* Back to how it was.  If one of the signals came, the process dies by it here. */
void ending_finish(void);

#endif
