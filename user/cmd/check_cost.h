/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `check --cost EVENT... -- COMMAND` measures the cost of each event.
 */
#ifndef KTRACE_CMD_CHECK_COST_H
#define KTRACE_CMD_CHECK_COST_H

#include "check/finding.h"
#include "lib/error.h"

/*
 * Run @command (ended by NULL) repeatedly: without recording, and for each event and capture
 * method while all firings are recorded, or are rejected by a filter.  The costs and the
 * rates of the events are added to @results.  @pages is the size of each ring, as for -m of
 * record.
 */
struct error *check_cost_run(struct results *results, char **command, const char *pages);

#endif
