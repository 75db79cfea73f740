/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `check --compare EVENT... -- COMMAND`: each firing is captured by all available methods,
 * and its record printed by all available printers; then all results are compared.
 */
#ifndef KTRACE_CMD_CHECK_COMPARE_H
#define KTRACE_CMD_CHECK_COMPARE_H

#include "check/finding.h"
#include "lib/error.h"

/*
 * Run @command once, and add differences between the captures of its events to @results.  It
 * is an error if they cannot be compared, because the command fails or records were lost.
 * @pages is the size of each ring, as for -m of record, and @kilobytes is the same size.
 */
struct error *check_compare_run(struct results *results, char **command, const char *pages,
				unsigned int kilobytes);

#endif
