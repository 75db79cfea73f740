/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `check --expect`: expectations in Python, which the package ktrace.expect evaluates.
 */
#ifndef KTRACE_CMD_CHECK_EXPECT_H
#define KTRACE_CMD_CHECK_EXPECT_H

#include "lib/error.h"

/*
 * Replace this process by ktrace.expect, which applies the packs or files in @list
 * ("sched,own.py") to the recording @input or while @command runs (one of these may be NULL).
 * It returns only if that fails.
 */
struct error *check_expect_exec(const char *list, const char *input, char **command);

#endif
