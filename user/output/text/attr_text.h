/* SPDX-License-Identifier: GPL-2.0 */
/* Formats the attr of an event as text, in perf's form. */
#ifndef KTRACE_OUTPUT_TEXT_ATTR_TEXT_H
#define KTRACE_OUTPUT_TEXT_ATTR_TEXT_H

#include <linux/perf_event.h>

#include "lib/strbuf.h"

/*
 * Append every member that is not 0: @before, its name, @between, its value.  For "type: 2,
 * size: 128", @before is ", " and @between is ": ".  The first member gets @first instead of
 * @before.
 */
void attr_text_add(struct strbuf *out, const struct perf_event_attr *attr,
		   const char *first, const char *before, const char *between);

#endif
