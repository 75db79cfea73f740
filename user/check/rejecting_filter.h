/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Builds a filter that rejects all records of an event, to measure the cost of firings for a task
 * whose records are filtered out.
 */
#ifndef KTRACE_CHECK_REJECTING_FILTER_H
#define KTRACE_CHECK_REJECTING_FILTER_H

#include "check/finding.h"
#include "lib/error.h"
#include "lib/strbuf.h"

/*
 * Append the text of such a filter for @result's event.  Like most filters, it tests a number among
 * the event's own fields, so that template probes reject the firing before they build a record.  If
 * the event has no number, it tests a common field.
 */
struct error *rejecting_filter_add(const struct result *result, struct strbuf *ret);

#endif
