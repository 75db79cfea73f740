/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds what of a recording tells what `ktrace sched timehist` and `ktrace why` show of a part of
 * it, so that no more has to be read: the part, and of what lies around it the single samples
 * from which the states of tasks and CPUs at its ends follow.
 */
#ifndef KTRACE_CMD_SCHED_SCHED_WINDOW_H
#define KTRACE_CMD_SCHED_SCHED_WINDOW_H

#include <stdbool.h>

#include "lib/error.h"
#include "session/selection.h"

/*
 * Append to @ret the times of all samples that are needed for @window (in ns; both ends are
 * included; 0: open) of the recording at @path.  Nothing is appended, because all of it has to be
 * read, if it has no index or does not say of which CPUs it is, or if the window is most of it.
 * They are the window itself and, in the order of their times:
 *
 * - of each task that it tells of, the last time before that it stopped running, and what woke it
 *   since then;
 * - of each CPU, the last switch before and the first one behind.
 */
struct error *sched_window_find(const char *path, const struct time_range *window,
				struct time_ranges *ret);

/*
 * The same for what `ktrace why` tells of the delays that begin in @window; with @off_cpu they
 * begin when tasks go to sleep.  The window goes on until all of them have ended, and begins, if
 * interrupts were recorded, with the last switch of some CPU.  The other samples are:
 *
 * - of each task that does something then, the last switch before, and what woke or moved it since;
 * - of each CPU, the last switch before; if it has none there, nor then, the first one behind;
 * - the first event of the scheduler.
 *
 * Nothing is appended either if records of context switches, which are no samples, tell states,
 * nor with @off_cpu if the recording begins in @window, as sleeps that only end behind it do, too.
 */
struct error *sched_window_find_delays(const char *path, const struct time_range *window,
				       bool off_cpu, struct time_ranges *ret);

#endif
