/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes perf.data.  A file is written under a temporary name beside its final one, which it
 * takes only when it is complete enough to be read.  As with perf, an older file of that name
 * becomes PATH.old.
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

/* What the header says about the recording; strings are borrowed. */
struct writer_info {
	const char *version;		/* of the tool */
	int argc;			/* the command line, from the command's name on */
	char *const *argv;
	int32_t clockid;		/* -1: perf's clock */
	int compression;		/* zstd's level, 1 to 22; 0: none.  Not for pipes */
	bool counts;			/* the records are counts, as of `perf stat record` */
	bool count_by_cpu;		/* for writer_recorded() */
	bool all_build_ids;		/* of what was mapped, even if no sample can be in it */
	bool direct;			/* past the page cache where possible; see output.h */
	const struct strbuf *sched_domains;	/* of CPU_DOMAIN_INFO; NULL: nothing */
	const char *token;		/* for a listener; NULL: that of the environment */
	/* What writer_describe() says of formats; NULL: what tracefs says of the events. */
	const struct strbuf *tracing_data;
};

/*
 * Create @path ("-": standard output, as a pipe; tcp:... or unix:...: a listener's connection, as
 * a pipe).  The attrs and ids of @events are
 * written now, so all events must be open already.  @events must live as long as the
 * writer.
 */
struct error *writer_create(const char *path, const struct event_list *events,
			    const struct writer_info *info, struct writer **ret);

/*
 * Append what @writer would write at the beginning of a pipe, which is all that is needed to read
 * records of @events, and @pair.
 */
struct error *writer_describe(const struct event_list *events, const struct writer_info *info,
			      const struct clock_pair *pair, struct strbuf *ret);

/*
 * As writer_create(), for a recording with the events of @description, whose header says what
 * that says.  @description must live as long as the writer; what it says of build ids may change
 * until the end of a file.
 */
struct error *writer_create_described(const char *path, const struct description *description,
				      struct writer **ret);

/* The sink for captured records; its round() writes PERF_RECORD_FINISHED_ROUND. */
struct record_sink *writer_sink(struct writer *writer);

/* Remember a clock pair for the header. */
struct error *writer_add_clock(struct writer *writer, const struct clock_pair *pair);

/* Say something of the recording, in words, in its header (struct header_note). */
struct error *writer_add_note(struct writer *writer, const char *name, const char *text);

/* Bytes and samples written so far. */
uint64_t writer_bytes(const struct writer *writer);
uint64_t writer_samples(const struct writer *writer);

/* Samples of the event with this index on @cpu (UINT32_MAX: of none).  Needs count_by_cpu. */
uint64_t writer_recorded(const struct writer *writer, size_t event, uint32_t cpu);

/* From now on, @tasks, which is borrowed, gets the records of tasks and maps, too. */
void writer_watch_tasks(struct writer *writer, struct record_sink *tasks);

/* Hand all that was written to the kernel, so that it survives the end of this process. */
struct error *writer_store(struct writer *writer);

/*
 * From now on, writer_give_up() leaves what a killed recorder would leave, instead of a whole file
 * without the last records, which make room for its end on a full disk.
 */
void writer_keep_all(struct writer *writer);

/* Give the file another name in the same folder, which it takes when it is finished. */
struct error *writer_set_path(struct writer *writer, const char *path);

/* The number that writer_bytes() would give without compression. */
uint64_t writer_uncompressed_bytes(const struct writer *writer);

/*
 * Write the features (formats, host, cmdline, ledger ...), complete the header and give
 * the file its name.  The writer is destroyed in any case.  On error, what was written
 * is treated as by writer_give_up().
 */
struct error *writer_finish(struct writer *writer, const struct ledger *ledger);

/*
 * After an error, keep what was written: as a whole file if possible, else as a killed
 * recorder would leave it.  If a pipe was written, or no record at all, nothing is
 * kept.  Returns @err, with a hint that says what is left.  The writer is destroyed.
 */
struct error *writer_give_up(struct writer *writer, struct error *err);

/* Remove what was written; an older file stays as it was.  The writer is destroyed. */
void writer_abort(struct writer *writer);

#endif
