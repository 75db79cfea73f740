/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes a filter that rejects all records of an event, to measure what firings cost a task
 * whose records are filtered out.
 */
#ifndef KTRACE_CHECK_REJECTING_FILTER_H
#define KTRACE_CHECK_REJECTING_FILTER_H

#include "check/finding.h"
#include "lib/error.h"
#include "lib/strbuf.h"

/*
 * Append the text of such a filter for @result's event.  Like most filters, it tests a number
 * among the event's own fields, so that template probes reject the firing before they make a
 * record.  If there is none, it tests a common field.
 */
struct error *rejecting_filter_add(const struct result *result, struct strbuf *ret);

#endif
