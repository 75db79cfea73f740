/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filter expressions over samples, for what the kernel's filters cannot read.
 */
#ifndef KTRACE_CAPTURE_FILTER_MATCH_H
#define KTRACE_CAPTURE_FILTER_MATCH_H

#include <stdbool.h>

#include "format/filter_expr.h"
#include "record/sample.h"

/*
 * NULL: every operand can be read from a sample.  Otherwise the name of one
 * that cannot (comm, uid ... are known to the kernel alone); static.
 */
const char *filter_match_missing(const struct filter_node *tree);

/* Whether @tree, of which nothing is missing, holds for the sample. */
bool filter_match(const struct filter_node *tree, const struct sample *sample);

#endif
