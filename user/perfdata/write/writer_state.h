/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The internals of a writer.  They are shared by writer.c, which opens and names the output,
 * writer_records.c, which takes the records, and writer_file.c and writer_pipe.c, which write the
 * parts before and behind them.
 */
#ifndef KTRACE_PERFDATA_WRITE_WRITER_STATE_H
#define KTRACE_PERFDATA_WRITE_WRITER_STATE_H

#include "lib/array.h"
#include "lib/new_file.h"
#include "perfdata/binaries.h"
#include "perfdata/extension.h"
#include "perfdata/layout.h"
#include "perfdata/write/compressor.h"
#include "perfdata/write/description.h"
#include "perfdata/write/index.h"
#include "perfdata/write/output.h"
#include "perfdata/write/writer.h"

struct writer {
	struct record_sink sink;
	const struct event_list *events;
	struct writer_info info;
	const struct description *description;	/* of another machine's recording; NULL: ours */
	struct new_file file;	/* path NULL: written in place */
	bool is_pipe;
	bool keeps_all;		/* writer_keep_all() */
	const char *peer;	/* the address of the listener, borrowed; NULL: no connection */
	struct {
		uint64_t bytes, samples;	/* once these bytes are sent, so are these
						 * samples */
		uint64_t sent;			/* at least so many samples are sent */
	} progress;		/* of a connection */
	struct strbuf tracing_data;
	struct clock_pairs clocks;
	struct strbuf notes;	/* chunks of the extension */

	struct compressor *compressor;	/* NULL: none */
	struct strbuf piece;		/* records to compress next */
	uint64_t compressed_from, compressed_to;	/* bytes */

	struct output *output;
	uint64_t data_start;	/* offset of the first record in the file */
	uint64_t bytes;		/* all bytes given to the output */
	uint64_t samples;
	struct {
		uint64_t *items;	/* samples, by CPU and then by event */
		size_t nr;
		bool failed;
	} by_cpu;
	struct error *failed;		/* an error of `tasks`; owned */
	struct record_sink *tasks;	/* gets records of tasks and maps; NULL: nobody */
	uint64_t first_sample_time, last_sample_time;
	struct binaries binaries;
	struct index index;
	uint64_t entry_start;	/* offset of the index's open entry */
	ARRAY_OF(uint64_t) ends;	/* offsets at which whole records end, some KiB apart */
};

/* Whether to leave out all data that only ktrace knows. */
bool writer_is_foreign(const struct writer *writer);

/* Write bytes unchanged.  Errors name the file or listener. */
struct error *writer_put(struct writer *writer, const void *data, size_t size);
struct error *writer_put_text(struct writer *writer, const struct strbuf *text);

/* Hand the written bytes to the kernel. */
struct error *writer_flush(struct writer *writer);

/* The error for a failed write with errno @code. */
struct error *writer_error(const struct writer *writer, int code);

/* The attr of @event in its stored form: all have the same size. */
struct perf_event_attr writer_stored_attr(const struct writer *writer, const struct event *event);

/* The operations of the sink for records. */
extern const struct record_sink_ops writer_sink_ops;

/* Write the records that wait for compression. */
struct error *writer_flush_piece(struct writer *writer);

/*
 * Write the parts before the first record, and behind the last one.  @ledger may be NULL for a pipe
 * that is only a description.
 */
struct error *writer_start_file(struct writer *writer);
struct error *writer_finish_file(struct writer *writer, const struct ledger *ledger);
struct error *writer_start_pipe(struct writer *writer);
struct error *writer_finish_pipe(struct writer *writer, const struct ledger *ledger);

/*
 * Complete a file on a full disk.  Formats and names need room, so the last records are given up
 * for it.  Returns the offset behind the remaining records; 0: it failed.
 */
uint64_t writer_salvage(struct writer *writer);

#endif
