/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reason why perf_event_open() refuses a process: it is not always the sysctl.
 */
#ifndef KTRACE_CAPTURE_PERF_PERF_REFUSAL_H
#define KTRACE_CAPTURE_PERF_PERF_REFUSAL_H

enum perf_refusal {
	PERF_REFUSAL_NONE,	/* a minimal event can be opened */
	PERF_REFUSAL_RIGHTS,	/* the sysctl refuses it, and no capability overrides that */
	PERF_REFUSAL_FILTER,	/* no such reason, and the process has a seccomp filter */
	PERF_REFUSAL_OTHER,	/* no filter either: a security module, for example */
};

/* Find the reason by opening a minimal event; *ret_code is its error, or 0. */
enum perf_refusal perf_refusal_find(int *ret_code);

/* The process's capability that overrides the sysctl; NULL: it has none. */
const char *perf_refusal_capability(void);

/* The next step after PERF_REFUSAL_FILTER, a sentence without the dot. */
extern const char perf_refusal_filter_hint[];

#endif
