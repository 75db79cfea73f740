/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines that `ktrace record` prints on standard error at the end, and for each snapshot.
 */
#ifndef KTRACE_CMD_RECORD_RECORD_SUMMARY_H
#define KTRACE_CMD_RECORD_RECORD_SUMMARY_H

#include "recorder/perf_file.h"
#include "recorder/recorder.h"

/* @file is what was recorded, and is finished. */
void record_summary_print(struct recorder *recorder, const struct perf_file *file);

#endif
