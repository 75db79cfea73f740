/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the running kernel can do, asked by trying; each answer is found once.
 */
#ifndef KTRACE_CAPTURE_FEATURE_H
#define KTRACE_CAPTURE_FEATURE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The system call, close-on-exec; a descriptor or -errno.  @flags: PERF_FLAG_*
 * beside that.
 */
int feature_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			    unsigned long flags);

/* Lost records are counted per event (PERF_FORMAT_LOST, 6.0). */
bool feature_perf_lost(void);

/* Symbols that appear in the kernel, as those of BPF programs, can be recorded (5.1). */
bool feature_perf_ksymbol(void);

/* There is a PMU that counts cycles. */
bool feature_perf_cycles(void);

/*
 * Samples a second that an event with a rate may ask for; UINT64_MAX: the kernel does not
 * say.  The kernel lowers it by itself when samples take it too long, so each call looks.
 */
uint64_t feature_perf_max_rate(void);

#endif
