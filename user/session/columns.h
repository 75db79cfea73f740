/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The samples of one event as columns: each value of all samples in one array,
 * as numpy, Arrow and databases want them.
 *
 *	columns_create(event, format, names, nr_names, &columns);
 *	columns_add(columns, headers, nr);	again and again
 *	columns_take(columns, &batch);		when enough have come
 *
 * What there is: _time, _cpu, _pid, _tid, _comm, _period, _ip and _addr, as far
 * as they were sampled, the fields of the event's format under their names, and
 * the common fields the device stored as common_NAME.  Only where they are named:
 * _symbol and _dso, of _ip, and _callchain, the functions of the call chain from the
 * outermost on with ';' between.
 */
#ifndef KTRACE_SESSION_COLUMNS_H
#define KTRACE_SESSION_COLUMNS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event_format.h"
#include "lib/cleanup.h"
#include "record/event.h"
#include "record/sample.h"

enum column_type {
	COLUMN_INTEGER = 0,	/* 1, 2, 4 or 8 bytes each, signed or not */
	COLUMN_TIME,		/* int64, ns of the recording's clock */
	COLUMN_TEXT,		/* int32, number of a text in the dictionary */
	COLUMN_BYTES,		/* int64 ends in bytes, one more than rows */
};

/* Byte strings one behind the other: number i is [offsets[i], offsets[i + 1]). */
struct byte_strings {
	int64_t *offsets;	/* nr + 1; owned */
	char *bytes;		/* owned */
	size_t nr;
};

struct column {
	char *name;		/* owned */
	enum column_type type;
	uint8_t size;		/* bytes of one value: 1, 2, 4, 8 */
	bool is_signed;
	void *values;		/* owned; BYTES: NULL */
	struct byte_strings strings;	/* TEXT: the dictionary; BYTES: the rows */
};

/* A finished piece: belongs to whoever took it. */
struct batch {
	const struct event *event;	/* lives as long as its event list */
	size_t nr_rows;
	struct column *columns;		/* owned */
	size_t nr_columns;
};

void batch_deinit(struct batch *batch);

/* The column of that name; NULL: the batch has none. */
struct column *batch_column(struct batch *batch, const char *name);

/* Without its last column. */
void batch_drop_last(struct batch *batch);

/*
 * Sort the rows by the values of the column _time, those of equal times stay
 * in their order.  Without such a column, or in order already: nothing.
 */
struct error *batch_sort(struct batch *batch);

struct columns;

/*
 * Columns of @event with @names, in their order; nr_names 0: all but what is
 * in every record's head (common_type ...).  @format NULL: the event has none.
 * An unknown name is an error that lists those there are.
 */
struct error *columns_create(const struct event *event, const struct event_format *format,
			     const char *const *names, size_t nr_names, struct columns **ret);
void columns_destroy(struct columns *columns);
DEFINE_CLEANUP_PTR(columns, struct columns, columns_destroy)

/* One of the columns is _comm: rows come from a session, with columns_add_row(). */
bool columns_want_comm(const struct columns *columns);

/* A column of that name names addresses: its session needs a machine, too. */
bool columns_is_place(const char *name);

/* Add PERF_RECORD_SAMPLEs of the event; those that are damaged are counted. */
struct error *columns_add(struct columns *columns,
			  const struct perf_event_header *const *headers, size_t nr);

/* Add a sample of a session. */
struct session_record;
struct error *columns_add_row(struct columns *columns, const struct session_record *r);

/* Make room for @rows more: what is added one by one then moves nothing. */
struct error *columns_reserve(struct columns *columns, size_t rows);

size_t columns_rows(const struct columns *columns);
uint64_t columns_damaged(const struct columns *columns);

/*
 * Take out the rows added so far; *ret has none if there were none.  Numbers of
 * texts stay the same from batch to batch.
 */
struct error *columns_take(struct columns *columns, struct batch *ret);

#endif
