/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes the features of the running kernel.  Each result is computed only once.
 */
#ifndef KTRACE_CAPTURE_FEATURE_H
#define KTRACE_CAPTURE_FEATURE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Call perf_event_open() with close-on-exec added to @flags (PERF_FLAG_*).  Returns a
 * descriptor or -errno.
 */
int feature_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			    unsigned long flags);

/* Features of perf_event that may be missing, and the first kernel that has them. */
enum perf_feature {
	FEATURE_PERF_LOST,	/* PERF_FORMAT_LOST: lost records are counted by event; 6.0 */
	FEATURE_PERF_KSYMBOL,	/* symbols that appear later in the kernel are recorded; 5.1 */
	FEATURE_PERF_BUILD_ID,	/* maps are recorded with build ids; 5.12 */
	FEATURE_PERF_CYCLES,	/* there is a PMU that counts cycles */
	FEATURE_PERF_NR,
};

bool feature_perf(enum perf_feature feature);

/* Whether an event can be opened for this task; for events of a PMU, only trying shows it. */
bool feature_perf_counts(uint32_t type, uint64_t config);

/*
 * The highest precise level, up to 3, at which an event with this attr can be opened, as in perf.
 */
unsigned int feature_perf_precise(const struct perf_event_attr *attr);

/*
 * Returns the highest sampling rate that an event may request, in samples per second, or UINT64_MAX
 * if it is unknown.  The kernel lowers it by itself when samples take too long, so each call reads
 * it again.
 */
uint64_t feature_perf_max_rate(void);

#endif
