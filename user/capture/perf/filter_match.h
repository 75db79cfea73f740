/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Applies filter expressions to samples, for filters that the kernel cannot evaluate.
 */
#ifndef KTRACE_CAPTURE_PERF_FILTER_MATCH_H
#define KTRACE_CAPTURE_PERF_FILTER_MATCH_H

#include <stdbool.h>

#include "record/sample.h"
#include "spec/filter_expr.h"

/*
 * Returns the name of an operand that is not in samples, because only the kernel knows it (comm,
 * uid ...); static.  NULL: all operands are in samples.
 */
const char *filter_match_missing(const struct filter_node *tree);

/* Whether @tree matches the sample.  filter_match_missing(@tree) must be NULL. */
bool filter_match(const struct filter_node *tree, const struct sample *sample);

#endif
