/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filter expressions: ftrace's language, as a tree bound to one event's format.
 *
 *	expression	field op value, && || ! ( )
 *	op		== != < <= > >= &, and ~ (glob) for strings
 *	value		number (decimal, 0x, 0, 'c', a name the print fmt gives it),
 *			"string", word
 *
 * and beyond it
 *
 *	field in { value, first..last }		also without the braces for one
 *
 * A field is either one of the event, or a common field (record/common_field.h), by our name
 * or by that of ftrace: CPU, COMM, and pid for tgid.
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
	FILTER_COMPARE,
};

enum filter_operator {
	FILTER_OP_EQ, FILTER_OP_NE, FILTER_OP_LT, FILTER_OP_LE,
	FILTER_OP_GT, FILTER_OP_GE, FILTER_OP_BAND, FILTER_OP_GLOB,
};

struct filter_node {
	enum filter_node_kind kind;
	struct filter_node *left, *right;
	enum filter_operator op;
	const struct field *field;	/* of the format passed to filter_parse() */
	const struct common_field_info *common;	/* if field is NULL: the common field */
	bool is_string;			/* text is the operand, else number */
	uint64_t number;		/* sign-extended for signed fields */
	char *text;
	size_t text_len;
};

/*
 * Find a common field that the module can read when an event fires, by our name or by that of
 * ftrace.  Returns NULL if there is none.
 */
const struct common_field_info *filter_find_common(const char *name);

/* Whether a comparison takes its numbers as signed. */
bool filter_node_is_signed(const struct filter_node *node);

/*
 * Parse @text for @format.  Errors show the text with a caret under the mistake and, for an
 * unknown field, list the fields that exist.
 */
struct error *filter_parse(const char *text, const struct event_format *format,
			   struct filter_node **ret);
void filter_destroy(struct filter_node *node);
DEFINE_CLEANUP_PTR(filter, struct filter_node, filter_destroy)

#endif
