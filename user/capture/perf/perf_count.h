/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts events through perf_event without recording them.  There is one descriptor per event
 * and place, and no ring.
 */
#ifndef KTRACE_CAPTURE_PERF_PERF_COUNT_H
#define KTRACE_CAPTURE_PERF_PERF_COUNT_H

#include "capture/backend.h"

extern const struct counting_ops perf_counting;

#endif
