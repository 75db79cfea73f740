/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the clock that perf stamps records with when no -k is given, from
 * the page perf maps in front of a ring.
 */
#ifndef KTRACE_CAPTURE_CLOCK_H
#define KTRACE_CAPTURE_CLOCK_H

#include <linux/perf_event.h>
#include <stdint.h>

/* Nanoseconds, or 0 where the kernel or this CPU does not offer it. */
uint64_t clock_perf(const struct perf_event_mmap_page *page);

#endif
