/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the clock that perf uses for records if no -k is given, with the help of the page
 * that perf maps in front of a ring.
 */
#ifndef KTRACE_CAPTURE_CLOCK_H
#define KTRACE_CAPTURE_CLOCK_H

#include <linux/perf_event.h>
#include <stdint.h>

/* Returns nanoseconds, or 0 if the kernel or this CPU does not support it. */
uint64_t clock_perf(const struct perf_event_mmap_page *page);

#endif
