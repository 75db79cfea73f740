/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the events and findings of a JSON report, so that they can be reported in another format.
 */
#ifndef KTRACE_CHECK_RESULTS_FILE_H
#define KTRACE_CHECK_RESULTS_FILE_H

#include "check/finding.h"
#include "lib/error.h"

/*
 * Add the findings in the file @path to @results.  Findings of an event that is there already are
 * appended to its findings.  @formats is the folder with the format files, SYSTEM/EVENT/format,
 * that their locations refer to; NULL, or no such file: findings have no locations.  Costs are not
 * read.
 */
struct error *results_file_read(const char *path, const char *formats, struct results *results);

#endif
