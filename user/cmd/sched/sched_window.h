/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the samples that `ktrace sched timehist` and `ktrace why` need to show a part of a
 * recording, so that the rest is not read.  They are the samples of the part, and single samples
 * around it that define the states of tasks and CPUs at its ends.
 */
#ifndef KTRACE_CMD_SCHED_SCHED_WINDOW_H
#define KTRACE_CMD_SCHED_SCHED_WINDOW_H

#include <stdbool.h>

#include "lib/error.h"
#include "session/selection.h"

/*
 * Append to @ret the times of all samples that are needed for @window of the recording at @path.
 * The window is in ns, includes both ends, and an end of 0 is open.  Nothing is appended if all of
 * the recording has to be read: it has no index, its CPUs are unknown, or the window is most of it.
 * The samples are the window itself and, in the order of their times:
 * - of each task in the window, its last switch from a CPU before, and the wakeup since then;
 * - of each CPU, the last switch before the window and the first one behind it.
 */
struct error *sched_window_find(const char *path, const struct time_range *window,
				struct time_ranges *ret);

/*
 * The same for the delays that `ktrace why` explains, which begin in @window.  With @off_cpu,
 * they begin when tasks go to sleep.  The window is extended until all of these delays have ended.
 * If interrupts were recorded, it begins with the last switch of some CPU.  The other samples are:
 * - of each task with an event in the window, the last switch before, and its wakeup or move since;
 * - of each CPU, the last switch before; if there is none before or in the window, the first
 * behind;
 * - the first event of the scheduler.  Nothing is appended either if records of context switches,
 * which are no samples, define the states.  The same holds with @off_cpu if the recording begins in
 * @window, because sleeps that end behind the window then count, too.
 */
struct error *sched_window_find_delays(const char *path, const struct time_range *window,
				       bool off_cpu, struct time_ranges *ret);

#endif
