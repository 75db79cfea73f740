/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes JSON value by value, so that no document has to be kept in memory:
 *
 *	struct json_writer json = { .out = &text };
 *
 *	json_begin_object(&json, NULL);
 *	json_add_text(&json, "name", "sched_switch");
 *	json_begin_array(&json, "fields");
 *	json_add_unsigned(&json, NULL, 17);
 *	json_end_array(&json);
 *	json_end_object(&json);
 *	json_end(&json);
 *
 * @name is the member's name in an object, and NULL in an array and for the outermost value; it is
 * escaped like all texts.  The caller may write out the contents of @out and reset it at any time.
 * The output is always valid JSON in valid UTF-8, with any bytes in a text:
 *
 *	quotes and backslashes		\" and \\
 *	control characters		\n, \t ..., or \u001b; also those above ASCII
 *	bytes that are no UTF-8		\ufffd, for each
 *	numbers that JSON lacks		null, for infinity and NaN
 *
 * Each value is on a line of its own, indented by two spaces for each level, except in rows.
 */
#ifndef KTRACE_LIB_JSON_H
#define KTRACE_LIB_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"

struct json_writer {
	struct strbuf *out;	/* borrowed; out->failed: memory is out */
	unsigned int depth;	/* the number of open objects and arrays */
	unsigned int row_depth;	/* depth at which the row began; 0: in no row */
	bool has_values;	/* the innermost open one has a value */
};

void json_begin_object(struct json_writer *json, const char *name);
void json_end_object(struct json_writer *json);
void json_begin_array(struct json_writer *json, const char *name);
void json_end_array(struct json_writer *json);

/* Begin an object that is on one line with all its members. */
void json_begin_row(struct json_writer *json, const char *name);

/* Append the line end that follows the outermost value. */
void json_end(struct json_writer *json);

/* @text NULL: null. */
void json_add_text(struct json_writer *json, const char *name, const char *text);
void json_add_bytes(struct json_writer *json, const char *name, const char *text, size_t len);
void json_add_unsigned(struct json_writer *json, const char *name, uint64_t number);
void json_add_signed(struct json_writer *json, const char *name, int64_t number);

/*
 * Append the shortest digits that give the same number when they are read, always with a '.' or
 * 'e'.
 */
void json_add_double(struct json_writer *json, const char *name, double number);

/* The exact value of @number / 10^@digits, with @digits digits behind the point. */
void json_add_fixed(struct json_writer *json, const char *name, uint64_t number,
		    unsigned int digits);
void json_add_bool(struct json_writer *json, const char *name, bool value);
void json_add_null(struct json_writer *json, const char *name);

#endif
