/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads what a report in JSON has of events and findings, so that it can be reported in another
 * format.
 */
#ifndef KTRACE_CHECK_RESULTS_FILE_H
#define KTRACE_CHECK_RESULTS_FILE_H

#include "check/finding.h"
#include "lib/error.h"

/*
 * Add the findings in the file @path to @results; those of an event that is there already follow
 * its others.  @formats is the folder with format files, SYSTEM/EVENT/format, that the places of
 * findings are in; NULL, or no such file: findings have no places.  Costs are not read.
 */
struct error *results_file_read(const char *path, const char *formats, struct results *results);

#endif
