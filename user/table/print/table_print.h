/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints tables that are described as data: as text, as CSV (RFC 4180) and as JSON; and gives
 * their values to whoever asks for these.
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
 * Text is what people read: headings, widths, rounded numbers.  CSV and JSON have the values
 * themselves: ns, bytes and percent are neither scaled nor rounded, and say their unit in the name
 * of the column, "wait_max_ns".  What is unknown or no number is empty in CSV, null in JSON.
 * ktrace(1) describes both for users.
 */
#ifndef KTRACE_TABLE_PRINT_TABLE_PRINT_H
#define KTRACE_TABLE_PRINT_TABLE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/json.h"
#include "lib/strbuf.h"

/* Grows when what CSV or JSON has changes so that a program which reads it must change, too. */
#define TABLE_SCHEMA	1

enum table_format { TABLE_AS_TEXT, TABLE_AS_CSV, TABLE_AS_JSON, TABLE_AS_VALUES };

/* What a command was asked to print, and what its numbers lack. */
struct table_output {
	enum table_format format;
	char separator;		/* between the values of CSV; 0: a comma */
	struct table_sink *sink;	/* TABLE_AS_VALUES: who takes them; borrowed */
	uint64_t lost;		/* records that were lost */
	bool damaged;		/* damaged samples were left out, or the recording is cut off */
};

/* The suffix of the name in CSV and JSON is _ns, _bytes or _percent; others have none. */
enum table_unit {
	TABLE_NO_UNIT, TABLE_COUNT, TABLE_NS, TABLE_BYTES, TABLE_PERCENT,
	TABLE_TIME,		/* an instant of the recording's clock; the suffix is _ns, too */
};

enum table_type { TABLE_TEXT, TABLE_UNSIGNED, TABLE_SIGNED, TABLE_FLOAT };

/* How text has a number. */
enum table_form {
	TABLE_DECIMAL,		/* with @decimals digits behind the point */
	TABLE_ZEROES,		/* filled up with zeroes */
	TABLE_THOUSANDS,	/* with thousands as the locale separates them */
	TABLE_SECONDS,		/* ns as seconds with six decimals, cut off, as perf prints times */
};

/* The value of a column in a row; by the type of the column, one of these is set. */
struct table_value {
	uint64_t number;	/* TABLE_UNSIGNED */
	int64_t integer;	/* TABLE_SIGNED */
	double real;		/* TABLE_FLOAT; infinite or no number: as if it were missing */
	struct strbuf *text;	/* TABLE_TEXT: append it; empty at first */
	bool missing;		/* it is not known; never of TABLE_UNSIGNED */
};

struct table;
struct table_column;

/* Whose value is asked for; all is borrowed. */
struct table_cell {
	const struct table *table;
	const struct table_column *column;
	const void *row;
};

struct table_column {
	/* What CSV and JSON have; name NULL: it is only in text. */
	const char *name;	/* lower_case, without the unit */
	enum table_unit unit;
	enum table_type type;
	bool data_only;		/* it is not in text */

	/* NULL: the member of the row that TABLE_MEMBER() names. */
	void (*value)(const struct table_cell *cell, struct table_value *ret);
	size_t offset, size;
	int key;		/* for the callbacks */

	/* What text has. */
	const char *heading;	/* NULL: that of the column before is also over this one */
	int width;		/* at least; below 0: heading and TABLE_TEXT to the left */
	const char *between;	/* what separates it from the column before; NULL: as the table */
	enum table_form form;
	const char *before, *behind;	/* around the value, part of the width; NULL: nothing */
	double divisor;		/* 0: 1; without decimals, unsigned numbers are rounded down */
	int decimals;
	size_t cut;		/* TABLE_TEXT: as many bytes at most; 0: all */
	bool wraps;		/* the last one: on a terminal, it goes on below its beginning */
	/* Append what text has, without filling up; NULL: the value. */
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
	/* What stands before, between and behind the columns of a line of text. */
	const char *left, *between, *right;	/* NULL: nothing, a blank, nothing */
	/* Of the line of headings; NULL: as @left and @right. */
	const char *heading_left, *heading_right;
	const char *headings;	/* lines in place of those of the columns; NULL: a line of these */
};

/* Takes what CSV and JSON have, as values; all is valid during the call only. */
struct table_sink {
	/* One call for each column that has a name, which @name is with its unit. */
	void (*column)(struct table_sink *sink, const struct table_column *column,
		       const char *name);
	/* One call for each of these columns of a row, in their order; @at is the number. */
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
 * Append the headings.  @table and @out are borrowed until table_end(), which releases what the
 * printer has.
 */
void table_begin(struct table_printer *printer, const struct table *table,
		 const struct table_output *output, struct strbuf *out);
void table_add_row(struct table_printer *printer, const void *row);
void table_end(struct table_printer *printer);

/* For addresses: the uint64_t that TABLE_MEMBER() names, as the text "0x9f", and in 16 digits. */
void table_get_address(const struct table_cell *cell, struct table_value *ret);
void table_add_address(const struct table_cell *cell, struct strbuf *out);

/* In text, append a line of "..." in each column: there are more rows. */
void table_add_more(struct table_printer *printer);

/* In text, append a line of @before and @nr dashes. */
void table_add_rule(const struct table_output *output, const char *before, size_t nr,
		    struct strbuf *out);

/* Append seconds with six decimals, cut off, in @width characters at least. */
void table_add_seconds(uint64_t ns, unsigned int width, struct strbuf *out);

#endif
