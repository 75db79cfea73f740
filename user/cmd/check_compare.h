/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `check --compare EVENT... -- COMMAND`: each firing captured in all ways there
 * are, and printed by all who can.
 */
#ifndef KTRACE_CMD_CHECK_COMPARE_H
#define KTRACE_CMD_CHECK_COMPARE_H

#include "check/finding.h"
#include "lib/error.h"

/*
 * Run @command once and add what the captures of its events differ in.  What
 * cannot be compared is an error: a command that fails, records that were lost.
 * @pages: of each ring, as record's -m takes it; @kilobytes: the same.
 */
struct error *check_compare_run(struct results *results, char **command, const char *pages,
				unsigned int kilobytes);

#endif
