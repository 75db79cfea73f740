/* SPDX-License-Identifier: GPL-2.0 */
/* The clocks of sessions.  They can be read in every context, including NMI. */
#ifndef KTRACE_CLOCK_H
#define KTRACE_CLOCK_H

#include <linux/compiler.h>
#include <linux/time.h>
#include <linux/timekeeping.h>
#include <linux/ktrace.h>

#include "compat/compat.h"

static inline bool ktrace_clock_is_known(int clockid)
{
	switch (clockid) {
	case KTRACE_CLOCK_PERF:
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_BOOTTIME:
	case CLOCK_REALTIME:
		return true;
	default:
		return false;
	}
}

/* Not inline, so that the hot path contains code for perf's clock only. */
static noinline notrace u64 __maybe_unused ktrace_clock_read_other(int clockid)
{
	switch (clockid) {
	case CLOCK_MONOTONIC:
		return ktime_get_mono_fast_ns();
	case CLOCK_MONOTONIC_RAW:
		return ktime_get_raw_fast_ns();
	case CLOCK_BOOTTIME:
		return ktime_get_boot_fast_ns();
	default:
		return ktime_get_real_fast_ns();
	}
}

/* The caller has preemption disabled. */
static __always_inline u64 ktrace_clock_read(int clockid)
{
	if (likely(clockid == KTRACE_CLOCK_PERF))
		return ktrace_compat_local_clock();
	return ktrace_clock_read_other(clockid);
}

#endif
