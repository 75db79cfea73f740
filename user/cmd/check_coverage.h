/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `check EVENT... -- COMMAND` reports what COMMAND does not exercise of the events.
 */
#ifndef KTRACE_CMD_CHECK_COVERAGE_H
#define KTRACE_CMD_CHECK_COVERAGE_H

#include "check/coverage_file.h"
#include "check/finding.h"
#include "lib/error.h"

/*
 * Record all events of @results on all CPUs while @command (ended by NULL) runs, and add what
 * it does not exercise.  It is an error if the command fails.
 *
 * @file has what earlier runs exercised, and this run is added to it; NULL: there is no file.
 * If @command is NULL, only the content of the file is evaluated.
 */
struct error *check_coverage_run(struct results *results, char **command,
				 struct coverage_file *file);

#endif
