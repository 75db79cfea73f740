/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `check --expect`: expectations in Python, which the package ktrace.expect
 * judges.
 */
#ifndef KTRACE_CMD_CHECK_EXPECT_H
#define KTRACE_CMD_CHECK_EXPECT_H

#include "lib/error.h"

/*
 * Run ktrace.expect in place of this process, with the packs or files in @list
 * ("sched,own.py"), over @input or while @command runs (one of them, or NULL).
 * Returns only when that fails.
 */
struct error *check_expect_exec(const char *list, const char *input, char **command);

#endif
