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
 * A field is one of the event; cpu CPU comm COMM pid, or a common field.
 */
#ifndef KTRACE_FORMAT_FILTER_EXPR_H
#define KTRACE_FORMAT_FILTER_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event_format.h"
#include "lib/error.h"

enum filter_node_kind {
	FILTER_AND, FILTER_OR, FILTER_NOT,	/* left, right (NOT: left) */
	FILTER_COMPARE,
};

enum filter_operator {
	FILTER_OP_EQ, FILTER_OP_NE, FILTER_OP_LT, FILTER_OP_LE,
	FILTER_OP_GT, FILTER_OP_GE, FILTER_OP_BAND, FILTER_OP_GLOB,
};

/* What a name stands for when it is no field of the event. */
enum filter_common {
	FILTER_COMMON_NONE = 0,	/* a field of the event: node->field */
	FILTER_COMMON_CPU,
	FILTER_COMMON_COMM,
	FILTER_COMMON_TGID,
	FILTER_COMMON_TID,
	FILTER_COMMON_PPID,
	FILTER_COMMON_START_TIME,
	FILTER_COMMON_UID,
	FILTER_COMMON_CGROUP,
	FILTER_COMMON_CONTEXT,
};

struct filter_node {
	enum filter_node_kind kind;
	struct filter_node *left, *right;
	enum filter_operator op;
	const struct field *field;	/* of the format it was parsed for */
	enum filter_common common;
	bool is_string;			/* text is the operand, else number */
	uint64_t number;		/* sign-extended for signed fields */
	char *text;
	size_t text_len;
};

/* Whether numbers of it are compared with their sign. */
bool filter_common_is_signed(enum filter_common common);

/*
 * Parse @text for @format.  Errors show the text with a caret under the place
 * and, for an unknown field, the names that exist.
 */
struct error *filter_parse(const char *text, const struct event_format *format,
			   struct filter_node **ret);
void filter_destroy(struct filter_node *node);
DEFINE_CLEANUP_PTR(filter, struct filter_node, filter_destroy)

#endif
