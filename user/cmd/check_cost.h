/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `check --cost EVENT... -- COMMAND`: what each of the events costs.
 */
#ifndef KTRACE_CMD_CHECK_COST_H
#define KTRACE_CMD_CHECK_COST_H

#include "check/finding.h"
#include "lib/error.h"

/*
 * Run @command (ended by NULL) again and again: as it is, and for each event and
 * way of capture while that records all firings or rejects them by a filter.
 * The costs, and how often events fire, go into @results.  @pages: of each ring,
 * as record's -m takes it.
 */
struct error *check_cost_run(struct results *results, char **command, const char *pages);

#endif
