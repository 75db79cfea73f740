/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The common parts of ktrace_lint_bad.h and ktrace_lint_clean.h.  Their events never fire: the
 * tests only read their formats.
 */
#ifndef KTRACE_LINT_H
#define KTRACE_LINT_H

#include <linux/tracepoint.h>
#include <linux/trace_events.h>

enum lint_color {
	LINT_RED,
	LINT_GREEN,
};

struct lint_pair {
	u32 a;
	u32 b;
};

struct lint_request {
	u32 tag;
};

static inline unsigned int lint_milliseconds(u32 value)
{
	return value * 4;
}

/* 2c92ca849fcc ("tracing/treewide: Remove second parameter of __assign_str()"), v6.10 */
#ifdef KTEST_HAVE_ASSIGN_STR_1
#define lint_assign_str(dst, src) __assign_str(dst)
#else
#define lint_assign_str(dst, src) __assign_str(dst, src)
#endif

#define LINT_EVENT(name, fields, print)					\
	TRACE_EVENT(name, TP_PROTO(const char *text), TP_ARGS(text), PARAMS(fields), \
		    TP_fast_assign((void)text;), PARAMS(print))

#endif
