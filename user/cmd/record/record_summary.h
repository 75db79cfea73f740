/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines that `ktrace record` prints on standard error at the end, and for each snapshot.
 */
#ifndef KTRACE_CMD_RECORD_RECORD_SUMMARY_H
#define KTRACE_CMD_RECORD_RECORD_SUMMARY_H

#include "recorder/perf_file.h"
#include "recorder/recorder.h"
#include "recorder/snapshot.h"
#include "recorder/window.h"

/*
 * Print the line of a file of --last.  @triggers is the number of events of --on so far, with this
 * one; 0: it is not printed.
 */
void record_summary_print_window(const struct perf_file *file, const struct window *window,
				 const struct snapshot_cause *cause, uint64_t triggers);

/* @file is the finished recording. */
void record_summary_print(struct recorder *recorder, const struct perf_file *file);

#endif
