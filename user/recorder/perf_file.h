/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A perf.data file, or a pipe in its format, while it is recorded: the consumer of a loop that
 * writes all records and clock pairs.
 */
#ifndef KTRACE_RECORDER_PERF_FILE_H
#define KTRACE_RECORDER_PERF_FILE_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "perfdata/write/writer.h"
#include "record/ledger.h"
#include "recorder/loop.h"

struct description;

struct perf_file {
	struct loop_consumer consumer;
	struct writer *writer;	/* NULL: not created, or finished */
	const char *path;	/* borrowed */
	uint64_t max_bytes;	/* the recording ends at this size; 0: no limit */
	uint64_t bytes, uncompressed_bytes, samples;	/* set when it is finished */
};

/*
 * The name of one of several files, as with perf's --switch-output: @output and the time, with
 * hundredths of a second.  If a file of that name exists, because another one was written within
 * the same hundredth, it is the next one.  free() it; NULL: out of memory.
 */
char *perf_file_timed_path(const char *output);

/* Create @path ("-": standard output).  @events must be open, and outlive @ret. */
struct error *perf_file_create(const char *path, const struct event_list *events,
			       const struct writer_info *info, struct perf_file *ret);

/*
 * As perf_file_create(), for a recording with the events of @description
 * (writer_create_described()).
 */
struct error *perf_file_create_described(const char *path, const struct description *description,
					 struct perf_file *ret);

/*
 * Complete the file, and set its counts; the header gets the costs of @captures on this machine.
 * The file is finished also on error.
 */
struct error *perf_file_finish(struct perf_file *file, struct captures *captures,
			       const struct ledger *ledger);

/* After an error, keep the written data if it is readable; see writer_give_up(). */
struct error *perf_file_give_up(struct perf_file *file, struct error *err);

/* Remove the written file, unless it was finished or given up. */
void perf_file_deinit(struct perf_file *file);

#endif
