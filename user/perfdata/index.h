/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The index of a recording: made while it is written or read, stored in the
 * file or beside it, and turned into a plan of what to read.
 */
#ifndef KTRACE_PERFDATA_INDEX_H
#define KTRACE_PERFDATA_INDEX_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "perfdata/layout.h"
#include "record/scope.h"

/* Bytes of a file that one entry stands for, if records allow it. */
#define INDEX_ENTRY_BYTES	(64 * 1024)

struct index {
	struct {
		struct perfdata_index_entry *items;	/* ascending by offset */
		size_t nr, alloc;	/* alloc 0: they lie in `stored` */
	} entries;
	char *stored;		/* what was parsed; NULL: it is being made */
	struct strbuf state;	/* rows of struct perfdata_index_state and a record */
	struct perfdata_index_entry open;	/* not in entries yet; samples 0: none */
	bool failed;		/* it cannot be made: no memory, no times, too large */
};

void index_deinit(struct index *index);
DEFINE_CLEANUP(index, struct index, index_deinit)

/*
 * Samples of the entry that is open, with the earliest and latest time of them;
 * @cpu or @event UINT32_MAX: not known.
 */
void index_add_samples(struct index *index, uint64_t samples, uint64_t first, uint64_t last,
		       uint32_t cpu, uint32_t event);

/* A record that is no sample.  FINISHED_ROUND is left out: entries know their times. */
void index_add_state(struct index *index, uint64_t offset, uint64_t time,
		     const struct perf_event_header *header);

/* The open entry lies from @offset to @end; without samples there is none. */
void index_close_entry(struct index *index, uint64_t offset, uint64_t end);

/* Append what is stored; nothing when it failed or is empty. */
void index_build(const struct index *index, struct strbuf *ret);

/*
 * Take in what was stored, in this machine's byte order: what is from byte @at
 * (a multiple of 8) to @size in *@stored, from malloc(), which becomes the
 * index's and NULL.  @data_start and @data_end bound the records of the file.
 * False: it is no index of such a file, or of a later version; it is then empty,
 * and *@stored as it was.
 */
bool index_parse(struct index *index, char **stored, size_t at, size_t size,
		 uint64_t data_start, uint64_t data_end);

/* What stands before an index beside the file open as @fd. */
struct error *index_identify(int fd, const struct stat *st, struct perfdata_index_file *ret);

/* What to read next: a stretch of the file, or a record out of the index. */
struct index_step {
	uint64_t time;		/* no step from here on has an earlier record */
	uint64_t last;		/* of a stretch: no sample in it is later */
	uint64_t offset, size;
	const struct perf_event_header *state;	/* NULL: a stretch */
};

struct index_plan {
	struct index_step *items;
	size_t nr, alloc;
};

/*
 * The steps that give all of @scope (NULL: everything), and all state, in the
 * order of their earliest times; what is before @offset in the file is left out.
 * The records belong to the index.
 */
struct error *index_plan(const struct index *index, const struct record_scope *scope,
			 uint64_t offset, struct index_plan *ret);

#endif
