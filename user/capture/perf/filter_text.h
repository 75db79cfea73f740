/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes filter expressions in ftrace's language, for PERF_EVENT_IOC_SET_FILTER.
 */
#ifndef KTRACE_CAPTURE_PERF_FILTER_TEXT_H
#define KTRACE_CAPTURE_PERF_FILTER_TEXT_H

#include <stdbool.h>

#include "lib/strbuf.h"
#include "spec/filter_expr.h"

/*
 * Append @tree to @out.  Returns false if ftrace cannot express a part of it (tgid, uid, arithmetic
 * ...); the contents of @out are then undefined.
 */
bool filter_text(const struct filter_node *tree, struct strbuf *out);

#endif
