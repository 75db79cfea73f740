/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filter expressions: ftrace's language, as a tree bound to one event's format.
 *
 *	expression	field op value, && || ! ( )
 *	op		== != < <= > >= &, and ~ (glob) for strings
 *	value		number (decimal, 0x, 0, 'c', a name that the print fmt gives it),
 *			"string", word
 *
 * and beyond it
 *
 *	field in { value, first..last }		also without the braces for one
 *	a - b > 5, (flags & MASK) == c		values are calculated from fields and numbers
 *
 * with C's operators + - * / % & | ^ << >> ~ and their precedence.  They calculate with 64 bits, as
 * ktrace_filter_calculate() describes: fields are first extended to 64 bits, and a result wraps
 * around.  An operation or comparison is unsigned if one of its sides is unsigned; for a shift only
 * the left side counts.  Unsigned are fields of 64 bits without a sign, numbers above INT64_MAX,
 * and the results of unsigned operations.  A division by 0 has no result: the filter then rejects
 * the record, with any other conditions.  The right side of && and || is not calculated if
 * the left side decides.  Parentheses are required where C's precedence of & ^ | surprises: beside
 * == and <.
 *
 * A field is either one of the event, or a common field (record/common_field.h), by our name or by
 * ftrace's: CPU, COMM, and pid for tgid.
 */
#ifndef KTRACE_SPEC_FILTER_EXPR_H
#define KTRACE_SPEC_FILTER_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event_format.h"
#include "lib/error.h"
#include "record/common_field.h"

enum filter_node_kind {
	FILTER_AND, FILTER_OR, FILTER_NOT,	/* left, right (NOT: left) */
	FILTER_COMPARE,		/* a field with a number or a text */
	FILTER_CALCULATED,	/* left and right, which are values */
	/* Values: */
	FILTER_FIELD,
	FILTER_NUMBER,
	FILTER_ARITHMETIC,	/* left, right */
};

enum filter_operator {
	FILTER_OP_EQ, FILTER_OP_NE, FILTER_OP_LT, FILTER_OP_LE,
	FILTER_OP_GT, FILTER_OP_GE, FILTER_OP_BAND, FILTER_OP_GLOB,
};

struct filter_node {
	enum filter_node_kind kind;
	struct filter_node *left, *right;
	enum filter_operator op;
	uint8_t arithmetic;	/* KTRACE_FILTER_ADD to _SHR */
	bool is_signed;		/* FILTER_NUMBER and FILTER_ARITHMETIC: the value */
	bool in_parentheses;
	size_t pos;		/* of a value, in the text */
	unsigned int side;	/* filter_parse_sides(): index of the field's event */
	bool is_time;		/* the time of that event, ns; field and common are NULL */
	const struct field *field;	/* of the format passed to filter_parse() */
	const struct common_field_info *common;	/* if field is NULL: the common field */
	bool is_string;			/* text is the operand, else number */
	uint64_t number;		/* sign-extended for signed fields */
	char *text;
	size_t text_len;
};

/*
 * Find a common field that the module can read when an event fires, by our name or by ftrace's.
 * Returns NULL if there is none.
 */
const struct common_field_info *filter_find_common(const char *name);

/* Whether a field of a comparison or a value has a sign. */
bool filter_node_is_signed(const struct filter_node *node);
/* Whether a value, extended to 64 bits, is signed. */
bool filter_value_is_signed(const struct filter_node *value);
/* Whether the comparison of two values, or the operation of a FILTER_ARITHMETIC, is signed. */
bool filter_operation_is_signed(const struct filter_node *node);

/*
 * Calculate a value.  @load returns the numbers of its fields, extended to 64 bits.  Returns false
 * if there is no result, because of a division by 0.
 */
typedef uint64_t filter_load(void *data, const struct filter_node *field);
bool filter_calculate(const struct filter_node *value, filter_load *load, void *data,
		      uint64_t *ret);

/*
 * Parse @text for @format.  Errors show the text with a caret under the mistake and, for an
 * unknown field, list the fields that exist.
 */
struct error *filter_parse(const char *text, const struct event_format *format,
			   struct filter_node **ret);

/*
 * Parse a value of the fields of several events, such as end.time - start.time.  Each event has a
 * name, which stands before its fields.  "time" is a field, too.  A string can be the whole value.
 */
struct filter_side {
	const char *name;
	const struct event_format *format;
};
struct error *filter_parse_sides(const char *text, const struct filter_side *sides, size_t nr,
				 struct filter_node **ret);

void filter_destroy(struct filter_node *node);
DEFINE_CLEANUP_PTR(filter, struct filter_node, filter_destroy)

#endif
