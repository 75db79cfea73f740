/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the running kernel can do, asked by trying; each answer is found once.
 */
#ifndef KTRACE_CAPTURE_FEATURE_H
#define KTRACE_CAPTURE_FEATURE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * The system call, close-on-exec; a descriptor or -errno.  @flags: PERF_FLAG_*
 * beside that.
 */
int feature_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			    unsigned long flags);

/* Lost records are counted per event (PERF_FORMAT_LOST, 6.0). */
bool feature_perf_lost(void);

/* There is a PMU that counts cycles. */
bool feature_perf_cycles(void);

#endif
