/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The internals of a reader.  They are shared by reader_header.c, which reads headers, stream.c,
 * which gives the records, reader.c, which has the interface, and join/joined.c, which combines
 * several readers into one.
 */
#ifndef KTRACE_PERFDATA_READER_STATE_H
#define KTRACE_PERFDATA_READER_STATE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "perfdata/decompressor.h"
#include "perfdata/extension.h"
#include "perfdata/input.h"
#include "perfdata/layout.h"
#include "perfdata/reader.h"
#include "perfdata/write/index.h"

/* Copies of records that were read ahead. */
struct held_records {
	char *data;		/* 8-aligned; the offset in the file precedes each record */
	size_t len, alloc;	/* bytes */
	size_t at;		/* offset in data of the next record to give */
};

void held_deinit(struct held_records *held);

/* Keep a copy of @header, which was read at @offset.  The only possible error is lack of memory. */
struct error *held_add(struct held_records *held, const struct perf_event_header *header,
		       uint64_t offset);

/*
 * Give the next record, in the order of held_add(); NULL: none is left.  It is valid until the next
 * held_add().
 */
const struct perf_event_header *held_next(struct held_records *held, uint64_t *ret_offset);

/* Slots for recently used ids: enough for several events on each CPU; a power of two. */
#define RECENT_IDS	64

/* With more words than this, extents are not filtered by them: nearly every extent has one. */
#define READER_WORDS	16

/* The operations of a reader that joins several; the rest of it is in their own readers. */
struct several_ops {
	struct error *(*narrow)(struct joined *joined, const struct record_scope *scope);
	void (*watch)(struct joined *joined, bool (*turn)(void *data), void *data);
	uint64_t (*bytes_left)(const struct joined *joined);
	void (*destroy)(struct joined *joined);
};

struct reader {
	struct record_source source;
	const struct several_ops *several;	/* NULL: a reader of one recording */
	struct joined *joined;	/* the joined recordings; owned by several_ops */
	const struct reader *first;	/* if several: gives header and formats */
	char *name;		/* for messages */
	bool is_stdin;
	int fd;
	uint64_t file_size;	/* 0: a pipe */
	struct input input;
	struct perfdata_header file_header;	/* if a file, in this machine's byte order */
	struct perfdata_section sections[FEATURES_MAX];	/* by feature bit; offset 0: none */
	struct event_list events;
	struct formats *formats;
	struct header header;
	struct ledger ledger;
	struct clock_pairs clocks;
	bool swapped;		/* recorded in the other byte order; records are given in ours */
	bool of_ktrace;		/* ktrace recorded it */
	bool unnamed;		/* an event may have no name yet */

	/* Used by stream.c: */
	struct decompressor *decompressor;	/* NULL: nothing compressed so far */
	bool decompressing;	/* the decompressor may have more records */
	uint64_t record_at;	/* offset of the last given record; at the end, that of the end */
	void *aligned;		/* a copy of a record at an odd address */
	bool ended;
	struct held_records held;	/* kept by reader_read_header(), to be given first */
	bool header_read, holds;	/* holds: some are left, or the error behind them */
	bool gives_all;		/* also give the records that the reader consumes */
	void *taken;		/* a copy of such a record: consuming it may read on */
	struct {
		uint64_t id;
		const struct event *event;	/* NULL: none yet */
	} recent[RECENT_IDS];		/* recent ids of samples, by their last bits */

	/* Reading by an index: the rest of the plan. */
	struct index index;
	struct index_plan plan;
	struct {
		struct time_range *items;
		size_t nr, at;	/* at: no earlier range has the next sample of the extent */
		size_t alloc;
	} times;		/* nr 0, or sorted: samples outside of all of them are left out */
	size_t plan_at;
	size_t state_at;	/* in the plan: the next step with state; not before plan_at */
	size_t unmarked;	/* steps since the last mark */
	struct {
		uint32_t items[READER_WORDS];
		size_t nr;	/* nr 0: extents are not filtered by words */
	} words;
	bool planned, in_stretch;
	bool in_whole;		/* all samples of the extent are wanted, of any time */
	bool in_bulk;		/* reader_next_records() is used, for which order does not matter */
	/*
	 * The samples of an extent that are not given yet.  They are in order of time, and the
	 * whole extent is in the window.
	 */
	const char *ordered, *ordered_end;	/* NULL: there is no such extent */
	uint64_t settled_before;	/* no record behind the extent has an earlier time */
	struct perfdata_finished_round mark;
	bool (*turn)(void *data);	/* called while it builds an index; or NULL */
	void *turn_data;
	struct error *failure;	/* found while reading ahead; given at its place or at the end */
};

extern const struct record_source_ops stream_ops;

/* Open the recording at @path, unless it is standard input, and read its header. */
struct error *reader_open_input(struct reader *reader, const char *path);

/* Read a whole section into memory and append a NUL; free() it. */
struct error *reader_read_section(struct reader *reader, struct perfdata_section section,
				  char **ret);

/* Create the error "FILE is damaged: ..." */
struct error *reader_damaged(const struct reader *reader, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The size of the attr at @from, which is at least PERF_ATTR_SIZE_VER0. */
size_t reader_attr_size(const char *from, size_t available);

/* Whether there can be an index: the input is a file, and its samples have times. */
bool reader_can_index(const struct reader *reader);

/* Continue by the index with the part of the file from @offset on. */
struct error *reader_follow_index(struct reader *reader, const struct record_scope *scope,
				  uint64_t offset);

struct error *reader_add_event(struct reader *reader, const char *attr_data, size_t attr_size,
			       const char *ids, size_t nr_ids);

/* Name every event that has no name yet, as perf would. */
struct error *reader_name_events(struct reader *reader);

struct error *reader_take_tracing_data(struct reader *reader, const void *data, size_t size);
struct error *reader_take_feature(struct reader *reader, unsigned int bit,
				  const void *data, size_t size);

#endif
