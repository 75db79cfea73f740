/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing perf.data.  A file takes its final name only when it is complete
 * enough to be read: it is written beside it under a temporary name, the old
 * one becomes PATH.old, as with perf.
 */
#ifndef KTRACE_PERFDATA_WRITER_H
#define KTRACE_PERFDATA_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "record/event.h"
#include "record/ledger.h"
#include "record/record.h"

struct writer;

/* Clocks read together, ns each; 0: not known. */
struct clock_pair {
	uint64_t trace, monotonic, raw, boottime, realtime;
};

/* What the header says of the recording; strings are borrowed. */
struct writer_info {
	const char *version;		/* of the tool */
	int argc;			/* the command line, from the command's name on */
	char *const *argv;
	int32_t clockid;		/* -1: perf's clock */
	int compression;		/* zstd's level, 1 to 22; 0: none.  Not for pipes */
	bool direct;			/* past the page cache where that can be; see output.h */
};

/*
 * Create @path ("-": standard output, as a pipe).  The attrs and ids of
 * @events are written now, so all events must be open.  @events must live as
 * long as the writer.
 */
struct error *writer_create(const char *path, const struct event_list *events,
			    const struct writer_info *info, struct writer **ret);

/* The sink for what is captured; round() writes PERF_RECORD_FINISHED_ROUND. */
struct record_sink *writer_sink(struct writer *writer);

/* Remember a clock pair for the header. */
struct error *writer_add_clock(struct writer *writer, const struct clock_pair *pair);

/* Bytes and samples written so far. */
uint64_t writer_bytes(const struct writer *writer);
uint64_t writer_samples(const struct writer *writer);

/* What writer_bytes() would be without compression. */
uint64_t writer_uncompressed_bytes(const struct writer *writer);

/*
 * Write the features (formats, host, cmdline, ledger ...), complete the header
 * and give the file its name.  The writer is destroyed, whatever happens; of an error, see
 * writer_give_up().
 */
struct error *writer_finish(struct writer *writer, const struct ledger *ledger);

/*
 * After an error: keep what was written, as a whole file where that can be, else as a killed
 * recorder would leave it.  Returns @err, whose hint says what is left.  Of a pipe, and if no
 * record was written, nothing is.  The writer is destroyed.
 */
struct error *writer_give_up(struct writer *writer, struct error *err);

/* Remove what was written; an older file stays as it was. */
void writer_abort(struct writer *writer);

#endif
