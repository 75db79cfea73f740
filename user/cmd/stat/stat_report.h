/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `ktrace stat report` prints recordings of counts, ours and perf's.
 */
#ifndef KTRACE_CMD_STAT_STAT_REPORT_H
#define KTRACE_CMD_STAT_STAT_REPORT_H

#include "lib/error.h"
#include "table/stat/stat_text.h"

/* Run it; @argv[0] is "report", and the options before it gave @layout. */
struct error *stat_report(const struct stat_layout *layout, int argc, char **argv);

#endif
