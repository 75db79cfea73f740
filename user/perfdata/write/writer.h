/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes perf.data.  A file is written under a temporary name in the folder of its final one.  It
 * gets the final name only when it is complete enough to be read.  As with perf, an older file of
 * that name becomes PATH.old.
 */
#ifndef KTRACE_PERFDATA_WRITE_WRITER_H
#define KTRACE_PERFDATA_WRITE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "record/event.h"
#include "record/ledger.h"
#include "record/record.h"

struct description;
struct writer;

/* Clocks that were read at the same moment, in ns; 0: not known. */
struct clock_pair {
	uint64_t trace, monotonic, raw, boottime, realtime;
};

/* The writer's settings, and texts for the header; strings are borrowed. */
struct writer_info {
	const char *version;		/* of the tool */
	int argc;			/* the command line, from the command's name on */
	char *const *argv;
	int32_t clockid;		/* -1: perf's clock */
	int compression;		/* zstd's level, 1 to 22; 0: none.  Not for pipes */
	bool counts;			/* the records are counts, as of `perf stat record` */
	bool count_by_cpu;		/* for writer_recorded() */
	bool all_build_ids;		/* of all mapped binaries, even if no sample can be in
					 * them */
	bool direct;			/* past the page cache where possible; see output.h */
	const struct strbuf *sched_domains;	/* content of CPU_DOMAIN_INFO; NULL: none */
	const char *token;		/* for a listener; NULL: that of the environment */
	/* Formats for writer_describe(); NULL: read them from tracefs. */
	const struct strbuf *tracing_data;
};

/*
 * Create @path ("-": standard output, as a pipe; tcp:... or unix:...: the connection to a listener,
 * as a pipe).  The attrs and ids of @events are written now, so all events must be open already.
 * @events must live as long as the writer.
 */
struct error *writer_create(const char *path, const struct event_list *events,
			    const struct writer_info *info, struct writer **ret);

/* Append the beginning of a pipe: all data that is needed to read records of @events, and @pair. */
struct error *writer_describe(const struct event_list *events, const struct writer_info *info,
			      const struct clock_pair *pair, struct strbuf *ret);

/*
 * As writer_create(), for a recording with the events and the header of @description.  @description
 * must live as long as the writer.  Its build ids may change until the end of a file.
 */
struct error *writer_create_described(const char *path, const struct description *description,
				      struct writer **ret);

/* The sink for captured records; its round() writes PERF_RECORD_FINISHED_ROUND. */
struct record_sink *writer_sink(struct writer *writer);

/* Remember a clock pair for the header. */
struct error *writer_add_clock(struct writer *writer, const struct clock_pair *pair);

/* Add a text about the recording to its header (struct header_note). */
struct error *writer_add_note(struct writer *writer, const char *name, const char *text);

/* Bytes and samples written so far. */
uint64_t writer_bytes(const struct writer *writer);
uint64_t writer_samples(const struct writer *writer);

/* Samples of the event with this index on @cpu (UINT32_MAX: not on any).  Needs count_by_cpu. */
uint64_t writer_recorded(const struct writer *writer, size_t event, uint32_t cpu);

/* From now on, also pass the records of tasks and maps to @tasks, which is borrowed. */
void writer_watch_tasks(struct writer *writer, struct record_sink *tasks);

/* Hand all written data to the kernel, so that it survives the end of this process. */
struct error *writer_store(struct writer *writer);

/*
 * From now on, writer_give_up() keeps all records, in the state that a killed recorder leaves.
 * Otherwise it completes the file, and gives up the last records if the disk is full.
 */
void writer_keep_all(struct writer *writer);

/* Give the file another final name in the same folder. */
struct error *writer_set_path(struct writer *writer, const char *path);

/* The value that writer_bytes() would have without compression. */
uint64_t writer_uncompressed_bytes(const struct writer *writer);

/*
 * Write the features (formats, host, cmdline, ledger ...), complete the header and give the file
 * its name.  The writer is destroyed in any case.  On error, the written data is treated as by
 * writer_give_up().
 */
struct error *writer_finish(struct writer *writer, const struct ledger *ledger);

/*
 * After an error, keep the written data: as a complete file if possible, else in the state that a
 * killed recorder leaves.  If the output is a pipe, or has no record at all, nothing is kept.
 * Returns @err, with a hint that names the remaining file.  The writer is destroyed.
 */
struct error *writer_give_up(struct writer *writer, struct error *err);

/* Remove the written file; an older file is kept.  The writer is destroyed. */
void writer_abort(struct writer *writer);

#endif
