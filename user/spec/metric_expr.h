/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The expressions of metrics, in the syntax of perf's tables (MetricExpr):
 *
 *	1e3, 0.5				numbers
 *	cpu\-cycles, L1D_CACHE, cpu@event\=1@	names of events and of other metrics
 *	#smt_on, #num_cpus			literals: facts about the machine
 *	a + b - c * d / e % f, -a, (a)
 *	a < b, a > b, a & b, a ^ b, a | b
 *	a if b else c
 *	min(a, b), max(a, b), d_ratio(a, b)	d_ratio: 0 if b is 0
 *	has_event(name)				1 if the machine can count it, else 0
 *
 * In names, a backslash stands before a character that is an operator elsewhere, and '@' stands for
 * '/'.
 */
#ifndef KTRACE_SPEC_METRIC_EXPR_H
#define KTRACE_SPEC_METRIC_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct metric_expr;

/* Errors show the text with a caret under the mistake. */
struct error *metric_expr_parse(const char *text, struct metric_expr **ret);
void metric_expr_destroy(struct metric_expr *expr);
DEFINE_CLEANUP_PTR(metric_expr, struct metric_expr, metric_expr_destroy)

/* The provider of the values of names. */
struct metric_names {
	/* The value of an event or a metric; NAN: unknown. */
	double (*value)(void *data, const char *name);
	/* The value of a literal, "#smt_on"; NAN: unknown. */
	double (*literal)(void *data, const char *name);
	bool (*has_event)(void *data, const char *name);
	void *data;
};

/*
 * The value of the expression.  It is NAN if a value that it needs is unknown, or after a division
 * by 0.
 */
double metric_expr_value(const struct metric_expr *expr, const struct metric_names *names);

/*
 * Call @each for the names of the events and metrics that the expression needs.  Branches that its
 * literals and has_event() exclude are skipped. names->value is not called.  The first error ends
 * it.
 */
struct error *metric_expr_each_name(const struct metric_expr *expr,
				    const struct metric_names *names,
				    struct error *(*each)(void *data, const char *name));

#endif
