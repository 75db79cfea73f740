/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filter expressions in the words of ftrace, which PERF_EVENT_IOC_SET_FILTER
 * takes.
 */
#ifndef KTRACE_CAPTURE_FILTER_TEXT_H
#define KTRACE_CAPTURE_FILTER_TEXT_H

#include <stdbool.h>

#include "format/filter_expr.h"
#include "lib/strbuf.h"

/*
 * Append @tree to @out.  False: part of it has no words there (tgid, uid ...);
 * @out is then of no use.
 */
bool filter_text(const struct filter_node *tree, struct strbuf *out);

#endif
