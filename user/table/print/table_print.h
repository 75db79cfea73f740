/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints tables that are described as data: as text, as CSV (RFC 4180) and as JSON.  It can also
 * pass their values to a sink.
 *
 *	static const struct table_column columns[] = {
 *		{ .name = "count", .unit = TABLE_COUNT, .type = TABLE_UNSIGNED,
 *		  TABLE_MEMBER(struct toy, count), .heading = "Count", .width = 9 },
 *		...
 *	};
 *	struct table table = { .name = "toys", .columns = columns, .nr = ARRAY_SIZE(columns) };
 *	struct table_printer printer;
 *
 *	table_begin(&printer, &table, &output, &text);
 *	for each row: table_add_row(&printer, row);
 *	table_end(&printer);
 *
 * Text is for people: headings, widths, rounded numbers.  CSV and JSON have the values themselves:
 * ns, bytes and percent are neither scaled nor rounded, and the name of the column has the unit,
 * "wait_max_ns".  An unknown value, or one that is not a number, is empty in CSV and null in JSON.
 * ktrace(1) describes both for users.
 */
#ifndef KTRACE_TABLE_PRINT_TABLE_PRINT_H
#define KTRACE_TABLE_PRINT_TABLE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/json.h"
#include "lib/strbuf.h"

/* Grows when CSV or JSON changes in a way that breaks programs that read it. */
#define TABLE_SCHEMA	1

enum table_format { TABLE_AS_TEXT, TABLE_AS_CSV, TABLE_AS_JSON, TABLE_AS_VALUES };

/* The requested output, and the losses behind its numbers. */
struct table_output {
	enum table_format format;
	char separator;		/* between the values of CSV; 0: a comma */
	struct table_sink *sink;	/* TABLE_AS_VALUES: gets the values; borrowed */
	uint64_t lost;		/* lost records */
	bool damaged;		/* damaged samples were left out, or the recording is cut off */
};

/* The suffix of the name in CSV and JSON is _ns, _bytes or _percent; other units have none. */
enum table_unit {
	TABLE_NO_UNIT, TABLE_COUNT, TABLE_NS, TABLE_BYTES, TABLE_PERCENT,
	TABLE_TIME,		/* an instant of the recording's clock; the suffix is _ns, too */
};

enum table_type { TABLE_TEXT, TABLE_UNSIGNED, TABLE_SIGNED, TABLE_FLOAT };

/* The format of a number in text. */
enum table_form {
	TABLE_DECIMAL,		/* with @decimals digits behind the point */
	TABLE_ZEROES,		/* padded with zeroes */
	TABLE_THOUSANDS,	/* with thousands separated as in the locale */
	TABLE_SECONDS,		/* ns as seconds with six decimals, truncated, as in perf */
};

/* The value of a column in a row; the type of the column selects the member. */
struct table_value {
	uint64_t number;	/* TABLE_UNSIGNED */
	int64_t integer;	/* TABLE_SIGNED */
	double real;		/* TABLE_FLOAT; infinite or NaN: treated as missing */
	struct strbuf *text;	/* TABLE_TEXT: append it; empty at first */
	bool missing;		/* unknown; never of TABLE_UNSIGNED */
};

struct table;
struct table_column;

/* The cell whose value is requested; all is borrowed. */
struct table_cell {
	const struct table *table;
	const struct table_column *column;
	const void *row;
};

struct table_column {
	/* For CSV and JSON; name NULL: the column is only in text. */
	const char *name;	/* lower_case, without the unit */
	enum table_unit unit;
	enum table_type type;
	bool data_only;		/* the column is not in text */

	/* NULL: the member of the row that TABLE_MEMBER() names. */
	void (*value)(const struct table_cell *cell, struct table_value *ret);
	size_t offset, size;
	int key;		/* for the callbacks */

	/* For text. */
	const char *heading;	/* NULL: the heading of the column before also covers this one */
	int width;		/* at least; negative: heading and TABLE_TEXT to the left */
	const char *between;	/* the separator from the column before; NULL: the table's */
	enum table_form form;
	const char *before, *behind;	/* around the value, part of the width; NULL: nothing */
	double divisor;		/* 0: 1; without decimals, unsigned numbers are rounded down */
	int decimals;
	size_t cut;		/* TABLE_TEXT: maximal number of bytes; 0: all */
	bool wraps;		/* the last one: on a terminal, it continues on further lines */
	/* Append the text of the value, without padding; NULL: the value. */
	void (*add_text)(const struct table_cell *cell, struct strbuf *out);
};

/*
 * For a column: its value is this member of the row.  For TABLE_TEXT it is a char *, NULL if it is
 * missing, for TABLE_UNSIGNED and TABLE_SIGNED it has 4 or 8 bytes, for TABLE_FLOAT it is a double.
 */
#define TABLE_MEMBER(type, member) \
	.offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)

struct table {
	const char *name;	/* lower_case */
	const struct table_column *columns;	/* borrowed */
	size_t nr;
	const void *data;	/* for the callbacks */
	/* The text before, between and behind the columns of a line of text. */
	const char *left, *between, *right;	/* NULL: nothing, a blank, nothing */
	/* Of the line of headings; NULL: as @left and @right. */
	const char *heading_left, *heading_right;
	const char *headings;	/* lines instead of the columns' headings; NULL: those headings */
};

/* Receives the values of CSV and JSON; all is valid during the call only. */
struct table_sink {
	/* One call for each column that has a name; @name has its unit, too. */
	void (*column)(struct table_sink *sink, const struct table_column *column,
		       const char *name);
	/* One call for each of these columns of a row, in their order; @at is its number. */
	void (*value)(struct table_sink *sink, size_t at, const struct table_value *value);
	void (*end_row)(struct table_sink *sink);
};

struct table_printer {
	const struct table *table;
	enum table_format format;
	char separator;
	struct table_sink *sink;
	struct strbuf *out;	/* borrowed; out->failed: memory is out */
	struct strbuf text;	/* of a cell */
	struct json_writer json;
};

/*
 * Append the headings.  @table and @out are borrowed until table_end(), which releases the
 * printer's memory.
 */
void table_begin(struct table_printer *printer, const struct table *table,
		 const struct table_output *output, struct strbuf *out);
void table_add_row(struct table_printer *printer, const void *row);
void table_end(struct table_printer *printer);

/* Append a whole table, of the @nr rows of an array whose items have @size bytes. */
void table_add_all(const struct table *table, const struct table_output *output, const void *rows,
		   size_t nr, size_t size, struct strbuf *out);

/* For addresses: the uint64_t that TABLE_MEMBER() names, as the text "0x9f", and in 16 digits. */
void table_get_address(const struct table_cell *cell, struct table_value *ret);
void table_add_address(const struct table_cell *cell, struct strbuf *out);

/* In text, append a line of "..." in each column: there are more rows. */
void table_add_more(struct table_printer *printer);

/* In text, append a line of @before and @nr dashes. */
void table_add_rule(const struct table_output *output, const char *before, size_t nr,
		    struct strbuf *out);

/* Append seconds with six decimals, truncated, in @width characters at least. */
void table_add_seconds(uint64_t ns, unsigned int width, struct strbuf *out);

#endif
