/* SPDX-License-Identifier: GPL-2.0 */
/* Writes the counts of `ktrace stat record` in the format of `perf stat record`. */
#ifndef KTRACE_CMD_STAT_STAT_RECORD_H
#define KTRACE_CMD_STAT_STAT_RECORD_H

#include "counts/stat_table.h"
#include "lib/cleanup.h"
#include "perfdata/write/writer.h"
#include "recorder/counters.h"

struct stat_recording {
	struct writer *writer;		/* NULL: nothing is written */
	struct writer_info info;
	uint64_t *ids;			/* by event and thread or CPU */
};

/*
 * The counters of the table are open: begin the file.  @path "-" is standard output.
 * @interval_ms is that of -I.
 */
struct error *stat_recording_begin(struct stat_recording *recording, const char *path,
				   struct counters *counters, const struct stat_table *table,
				   unsigned int interval_ms);

/* Write the current counts of the table's counters, @elapsed ns after they began. */
struct error *stat_recording_round(struct stat_recording *recording,
				   const struct stat_table *table, bool final, uint64_t elapsed);

/* Complete the file and give it its name. */
struct error *stat_recording_finish(struct stat_recording *recording);

/* An unfinished file is removed. */
void stat_recording_deinit(struct stat_recording *recording);

#endif
