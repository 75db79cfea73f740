/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The index of a recording.  It is built while the recording is written or read, stored in the file
 * or beside it, and converted to a plan for reading.
 */
#ifndef KTRACE_PERFDATA_WRITE_INDEX_H
#define KTRACE_PERFDATA_WRITE_INDEX_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "perfdata/layout.h"
#include "record/scope.h"

/* Bytes of a file that one entry covers, if the sizes of records allow it. */
#define INDEX_ENTRY_BYTES	(64 * 1024)

struct index {
	/* ascending by offset; alloc 0: they are in `stored` */
	ARRAY_OF(struct perfdata_index_entry) entries;
	char *stored;		/* the parsed bytes; NULL: the index is being built */
	struct strbuf state;	/* rows: a struct perfdata_index_state and a record */
	struct perfdata_index_entry open;	/* not in entries yet; samples 0: none */
	bool failed;		/* it cannot be built: no memory or times, or too large */
};

void index_deinit(struct index *index);
DEFINE_CLEANUP(index, struct index, index_deinit)

/*
 * Add samples to the open entry.  @first and @last are the earliest and latest time
 * among them; @cpu or @event is UINT32_MAX if it is not known.
 */
void index_add_samples(struct index *index, uint64_t samples, uint64_t first, uint64_t last,
		       uint32_t cpu, uint32_t event);

/* Add a record that is no sample.  FINISHED_ROUND is ignored: the times of entries replace it. */
void index_add_state(struct index *index, uint64_t offset, uint64_t time,
		     const struct perf_event_header *header);

/*
 * Close the open entry, which covers the file from @offset to @end.  If it has no
 * samples, no entry is made.
 */
void index_close_entry(struct index *index, uint64_t offset, uint64_t end);

/* Append the index in its stored form; nothing if it failed or is empty. */
void index_build(const struct index *index, struct strbuf *ret);

/*
 * Parse a stored index that is in this machine's byte order: the bytes from @at (a multiple of 8)
 * to @size in *@stored, which was allocated with malloc().  @data_start and @data_end bound the
 * records of the file.  On success the index owns that memory and *@stored becomes NULL.  Returns
 * false if this is no index of such a file, or one of a later version; then the index is empty, and
 * *@stored unchanged.
 */
bool index_parse(struct index *index, char **stored, size_t at, size_t size,
		 uint64_t data_start, uint64_t data_end);

/* Fill the head of an index beside the file that is open as @fd. */
struct error *index_identify(int fd, const struct stat *st, struct perfdata_index_file *ret);

/*
 * Find the row at *@at (first 0) of the state and the record in it, and advance *@at.  The index
 * owns both.  Returns false if there are no more, or if they are damaged.
 */
bool index_next_state(const struct index *index, size_t *at, struct perfdata_index_state *row,
		      const struct perf_event_header **ret);

struct event_list;
struct header;

/*
 * Find the extents that show when losses began.  A LOST record shows only when its ring had room
 * again.  The loss began behind the last sample before it in the same ring, which may be far from
 * the wanted samples.  For each LOST record that is the extent with this sample.  A LOST_SAMPLES
 * record has no time, so with one these are also the extents with the last sample of each ring.
 *
 * *@ret has one value for each entry of the index; free() it.  NULL: there are no losses, or each
 * has its time in its own record.  The only error is to be out of memory.
 */
struct error *index_find_rings(const struct index *index, const struct event_list *events,
			       const struct header *header, bool **ret);

/* The next read: an extent of the file, or a record out of the index. */
struct index_step {
	uint64_t time;		/* no record of this or a later step is earlier */
	uint64_t last;		/* for an extent: no sample in it is later */
	uint64_t offset, size;
	const struct perf_event_header *state;	/* NULL: an extent */
	bool whole;		/* of an extent: all its samples are wanted */
};

struct index_plan {
	struct index_step *items;
	size_t nr, alloc;
};

/*
 * Plan the steps that give all records of @scope (NULL: everything), in the order of their earliest
 * times.  All state is included unless the scope wants samples only.  The part of the file before
 * @offset is left out.  Entries whose value in @whole (NULL: none) is true are read wholly, also
 * outside of the scope.  The index owns the records.
 */
struct error *index_plan(const struct index *index, const struct record_scope *scope,
			 const bool *whole, uint64_t offset, struct index_plan *ret);

#endif
