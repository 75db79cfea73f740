/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `check EVENT... -- COMMAND`: what COMMAND exercises of the events.
 */
#ifndef KTRACE_CMD_CHECK_COVERAGE_H
#define KTRACE_CMD_CHECK_COVERAGE_H

#include "check/coverage_file.h"
#include "check/finding.h"
#include "lib/error.h"

/*
 * Record all events of @results on all CPUs while @command (ended by NULL) runs,
 * and add what it does not exercise.  A command that fails is an error.
 *
 * @file: with what earlier runs exercised, to which this one is added; NULL: none.
 * @command NULL: what the file has.
 */
struct error *check_coverage_run(struct results *results, char **command,
				 struct coverage_file *file);

#endif
