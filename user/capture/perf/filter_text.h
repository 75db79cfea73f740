/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes filter expressions in ftrace's language, which PERF_EVENT_IOC_SET_FILTER takes.
 */
#ifndef KTRACE_CAPTURE_PERF_FILTER_TEXT_H
#define KTRACE_CAPTURE_PERF_FILTER_TEXT_H

#include <stdbool.h>

#include "lib/strbuf.h"
#include "spec/filter_expr.h"

/*
 * Append @tree to @out.  Returns false if ftrace has no name for a part of it (tgid, uid,
 * arithmetic ...); @out is then useless.
 */
bool filter_text(const struct filter_node *tree, struct strbuf *out);

#endif
