/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why perf_event_open() refuses a process: the sysctl is not the only reason.
 */
#ifndef KTRACE_CAPTURE_PERF_PERF_REFUSAL_H
#define KTRACE_CAPTURE_PERF_PERF_REFUSAL_H

enum perf_refusal {
	PERF_REFUSAL_NONE,	/* the least event can be opened */
	PERF_REFUSAL_RIGHTS,	/* the sysctl refuses it, and no capability prevails */
	PERF_REFUSAL_FILTER,	/* none of these do, and the process has a seccomp filter */
	PERF_REFUSAL_OTHER,	/* nor has it a filter: a security module, for example */
};

/* Find it by opening the least event; *ret_code is the error of that, 0 for none. */
enum perf_refusal perf_refusal_find(int *ret_code);

/* The capability that lets a process ignore the sysctl, if it has one; NULL: it has none. */
const char *perf_refusal_capability(void);

/* The next step after PERF_REFUSAL_FILTER, a sentence without the dot. */
extern const char perf_refusal_filter_hint[];

#endif
