/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fake backend serves tests of the layers above it.  For every event and CPU, each drain()
 * gives records whose bytes are known.
 *
 * Record n (from 0) of event e on a CPU has the time FAKE_TIME_BASE + n * FAKE_TIME_STEP + cpu + e,
 * the tid FAKE_TID + cpu, and struct fake_raw for its RAW.  Every FAKE_LOST_EVERY'th is lost
 * instead; a PERF_RECORD_LOST precedes the next one.
 */
#ifndef KTRACE_CAPTURE_BACKEND_FAKE_H
#define KTRACE_CAPTURE_BACKEND_FAKE_H

#include <stdint.h>

#define FAKE_TIME_BASE	1000000000ULL
#define FAKE_TIME_STEP	1000000ULL
#define FAKE_TID	4000
#define FAKE_PER_DRAIN	10	/* firings per event, CPU and drain() while started */
#define FAKE_LOST_EVERY	7

struct fake_raw {
	uint16_t common_type;		/* attr.config */
	uint8_t common_flags;
	uint8_t common_preempt_count;
	int32_t common_pid;		/* the tid */
	uint64_t n;
	uint32_t cpu;
};

#endif
