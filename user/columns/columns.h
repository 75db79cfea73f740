/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Converts the samples of one event to columns: each value of all samples is one array, as numpy,
 * Arrow and databases need it.
 *
 *	columns_create(event, format, names, nr_names, &columns);
 *	columns_add(columns, headers, nr);	again and again
 *	columns_take(columns, &batch);		when enough have come
 *
 * There are _time, _cpu, _pid, _tid, _comm, _period, _ip and _addr if they were sampled, or the
 * period is fixed, the fields of the event's format under their names, and the common fields that
 * the device stored, as common_NAME.  Some exist only if they are requested by name.  _symbol and
 * _dso belong to _ip.  _callchain has the functions of the call chain from the outermost on,
 * separated by ';'.  _origin names the sample's recording if there are several; it is empty if
 * there is one.
 */
#ifndef KTRACE_COLUMNS_COLUMNS_H
#define KTRACE_COLUMNS_COLUMNS_H

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
	COLUMN_FLOAT,		/* double */
};

/* Adjacent byte strings: number i is [offsets[i], offsets[i + 1]). */
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
	bool is_address;	/* for INTEGER: it is shown in hexadecimal */
	void *values;		/* owned; BYTES: NULL */
	struct byte_strings strings;	/* TEXT: the dictionary; BYTES: the rows */
};

/* A finished part of the columns; the caller of columns_take() owns it. */
struct batch {
	const struct event *event;	/* lives as long as its event list */
	size_t nr_rows;
	struct column *columns;		/* owned */
	size_t nr_columns;
};

void batch_deinit(struct batch *batch);

/* Find the column of that name; NULL: the batch has none. */
struct column *batch_column(struct batch *batch, const char *name);

/* Remove the last column. */
void batch_drop_last(struct batch *batch);

/*
 * Sort the rows by the values of the column _time; rows of equal times keep their order.  Nothing
 * happens without such a column, or if the rows are sorted already.
 */
struct error *batch_sort(struct batch *batch);

struct columns;

/* Whether samples of @event have the data of the column @name, such as _time or _ip. */
bool columns_are_sampled(const struct event *event, const char *name);

/* Whether columns_create() knows the name. */
bool columns_exist(const struct event *event, const struct event_format *format, const char *name);

/*
 * Prepare the columns of @event with @names, in their order.  If nr_names is 0, use all except the
 * fields at the start of every record (common_type ...).  @format NULL: the event has none.  If a
 * name is unknown, the error lists the known names.
 */
struct error *columns_create(const struct event *event, const struct event_format *format,
			     const char *const *names, size_t nr_names, struct columns **ret);

/* Add the column _origin to columns without rows. */
struct error *columns_add_origin(struct columns *columns);

void columns_destroy(struct columns *columns);
DEFINE_CLEANUP_PTR(columns, struct columns, columns_destroy)

/*
 * Whether one of the columns is _comm: rows must then come from a session, with columns_add_row().
 */
bool columns_want_comm(const struct columns *columns);

/*
 * Whether a column of that name needs the names of addresses: its session must then have a machine,
 * too.
 */
bool columns_is_place(const char *name);

/* Add PERF_RECORD_SAMPLEs of the event; damaged ones are counted. */
struct error *columns_add(struct columns *columns,
			  const struct perf_event_header *const *headers, size_t nr);

/* Add a sample of a session. */
struct session_record;
struct error *columns_add_row(struct columns *columns, const struct session_record *r);

/* Make room for @rows more rows, so that adding them one by one moves nothing. */
struct error *columns_reserve(struct columns *columns, size_t rows);

size_t columns_rows(const struct columns *columns);
uint64_t columns_damaged(const struct columns *columns);

/*
 * Remove the rows added so far and store them in *ret; it may have no rows.  The numbers of texts
 * do not change from batch to batch.
 */
struct error *columns_take(struct columns *columns, struct batch *ret);

#endif
