/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One scan through the samples of a virtual table.  Only columns that the query uses are created.
 */
#ifndef KTRACE_SQL_SAMPLE_CURSOR_H
#define KTRACE_SQL_SAMPLE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cpumap.h"
#include "lib/error.h"
#include "record/scope.h"
#include "sql/sample_table.h"
#include "sql/sqlite_api.h"
#include "table/samples/column_scan.h"

/*
 * Assigns numbers to rows that are the same in all queries, however few rows a scan reads: SQLite
 * treats rows of several scans with one number as one row.  A number is derived from the values of
 * the sample.  Samples with equal values are numbered in the order of the file.
 */

/* The values that distinguish rows. */
struct row_key {
	int64_t time, cpu, tid;	/* 0: the event has none */
	size_t event;		/* its index */
};

struct row_ids {
	struct row_last *last;	/* by event; owned */
};

/* For a scan of @nr_events events. */
struct error *row_ids_init(struct row_ids *ids, size_t nr_events);
void row_ids_deinit(struct row_ids *ids);

/* The number of the next row of a scan, not negative; @key->event is below @nr_events. */
int64_t row_ids_next(struct row_ids *ids, const struct row_key *key);

struct sample_column {
	char *name;		/* owned */
	enum column_type type;
};

struct sample_table {
	sqlite3_vtab base;
	struct sample_tables *tables;	/* counted */
	bool all;		/* the table of all events */
	size_t event;		/* otherwise its index */
	ARRAY_OF(struct sample_column) columns;
};

/* The rows that a query needs; a scan may read more, never less. */
struct sample_scope {
	struct time_range times;	/* as in struct record_scope */
	bool has_cpu;
	uint32_t cpu;
};

/* The numbers of the rows of an event. */
struct row_numbers {
	int64_t *items;
	size_t nr, alloc;
};

struct sample_cursor {
	sqlite3_vtab_cursor base;
	const struct sample_table *table;
	struct reader *reader;		/* of this scan alone */
	struct machine *machine;	/* NULL: no names of addresses are wanted */
	const char **names;		/* of the created columns */
	struct column_scan scan;
	struct cpumap cpus;
	struct batch batch;
	const struct column **values;	/* of the batch, by number of the table's column; or NULL */
	size_t row;			/* in the batch */
	size_t next_rest;		/* at the end: the next event with remaining rows */
	struct row_ids ids;
	const struct column *keys[3];	/* of the batch: time, CPU, thread; or NULL */
	int64_t number;			/* of the row, unless it is grouped */
	unsigned int starts;		/* how often a scan was begun */
	bool started, read, ended;
	struct {
		uint64_t *counts;	/* by the index of the event; NULL: rows are read; owned */
		const struct event **order;	/* events by name; owned */
		size_t event;		/* the one of this row, in that order */
		uint64_t left;		/* rows of it, this one included */
		struct row_numbers *numbers;	/* by the index; NULL: not needed yet; owned */
	} grouped;
};

/* NULL: out of memory. */
struct sample_cursor *sample_cursor_create(const struct sample_table *table);
void sample_cursor_destroy(struct sample_cursor *cursor);

/*
 * Begin a scan, which may be a repeated one, and go to its first row.  Bit n of @used: column n is
 * wanted; bit 63 stands for all columns from 63 on.
 */
struct error *sample_cursor_start(struct sample_cursor *cursor, uint64_t used,
				  const struct sample_scope *scope);

/*
 * Begin a scan of the table of all events that only has _event, in the order of the names, from the
 * last one if @down.  Samples are not decoded.  Go to its first row.
 */
struct error *sample_cursor_start_grouped(struct sample_cursor *cursor, bool down);

/* Go to the next row, or set `ended`. */
struct error *sample_cursor_next(struct sample_cursor *cursor);

/*
 * Get the number of this row, which together with its times is the same in all scans.  A grouped
 * scan reads all samples at the first call.
 */
struct error *sample_cursor_number(struct sample_cursor *cursor, int64_t *ret);

/* Set the value of column @at in this row as SQLite's result. */
void sample_cursor_value(const struct sample_cursor *cursor, int at, sqlite3_context *context);

#endif
