/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples of all events as rows of one table.  Its columns are _time (ns), _event, _cpu, _pid,
 * _tid, _comm, _period, _ip, _symbol, _dso and _callchain (functions, the outermost first,
 * separated by ';'), then the fields of the events.  Fields of the same name and kind share a
 * column; one of another kind has a column SYSTEM:NAME.FIELD.  With @has_stacks, the cell of
 * _callchain has the number of a stack instead of a text.
 */
#ifndef KTRACE_TABLE_SAMPLES_SAMPLE_ROWS_H
#define KTRACE_TABLE_SAMPLES_SAMPLE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "columns/event_values.h"
#include "lib/cleanup.h"
#include "session/session.h"

struct sample_column {
	char *name;		/* owned */
	enum event_value_type type;
	uint8_t size;		/* of numbers: bytes that hold all of them, 1, 2, 4 or 8 */
	bool is_long;		/* of texts: the record does not bound their length */
};

/* One value of a row; a cell may have no value. */
struct sample_cell {
	bool has_value;
	uint64_t number;	/* of SIGNED and UNSIGNED */
	const char *bytes;	/* of TEXT and BYTES; valid until the next row */
	size_t len;
};

struct sample_rows {
	struct sample_column *columns;
	struct sample_cell *cells;	/* of the row, by column */
	size_t nr;
	size_t time, chain;		/* positions of the columns _time and _callchain */
	bool has_stacks;		/* may be set before the first row is read */
	struct sample_rows_state *state;
};

/*
 * @events is the list of the recording and @formats has the formats of its tracepoints; both are
 * complete.  Only events that match @globs ("sched:*,cycles"; NULL: all) get columns.
 */
struct error *sample_rows_create(const struct event_list *events, const struct formats *formats,
				  const char *globs, struct sample_rows **ret);
void sample_rows_destroy(struct sample_rows *table);

/* The stacks of the rows that were read. */
struct sample_stacks;
struct sample_stacks *sample_rows_stacks(struct sample_rows *table);

/* Set the cells to those of a sample.  The only error is a lack of memory. */
struct error *sample_rows_read(struct sample_rows *table, const struct session_record *r);

#endif
