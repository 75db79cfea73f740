/* SPDX-License-Identifier: GPL-2.0 */
/* The clock of perf_event, where its rings do not tell how to compute it. */
#ifndef KTRACE_CAPTURE_PERF_PERF_TIME_H
#define KTRACE_CAPTURE_PERF_PERF_TIME_H

#include <stdint.h>

/*
 * Read the clock that perf_event uses for records if none was chosen, by recording one page fault
 * of this process, together with the wall clock; both in ns.  While the event is open and a second
 * after that, switches of tasks cost more everywhere, so this is for once in a recording.  Returns
 * 0 if this process may not record itself.
 */
uint64_t perf_time_read(uint64_t *ret_realtime);

#endif
