/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A filter that lets no record of an event through: what its firings cost whom
 * a filter spares them.
 */
#ifndef KTRACE_CHECK_REJECTING_FILTER_H
#define KTRACE_CHECK_REJECTING_FILTER_H

#include "check/finding.h"
#include "lib/error.h"
#include "lib/strbuf.h"

/*
 * Append the text of one for @result's event: on a number among its own fields, as
 * filters usually are, which template probes reject before a record is made; on a
 * common field where it has none.
 */
struct error *rejecting_filter_add(const struct result *result, struct strbuf *ret);

#endif
