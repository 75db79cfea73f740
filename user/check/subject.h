/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event in parsed form for the rules: its fields, and its print fmt as conversions, arguments
 * and words, each with its offset in the text.
 *
 * Arguments are parsed one by one, so that a syntax error in one does not hide problems in the
 * rest.
 */
#ifndef KTRACE_CHECK_SUBJECT_H
#define KTRACE_CHECK_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "check/finding.h"
#include "format/event_format.h"
#include "format/print_tree.h"
#include "lib/array.h"

/* A conversion such as "%-16.8lx". */
struct conversion {
	size_t place;		/* of the '%', in the format text */
	size_t len;
	char letter;		/* 0: the string ends within it */
	int longs;		/* -2 hh, -1 h, 0, 1 l, 2 ll */
	bool is_size;		/* %z */
	bool star_width, star_precision;
	int precision;		/* -1: none, or a star */
	const char *extension;	/* letters behind %p; not terminated */
	size_t extension_len;
	size_t value;		/* index of its argument; stars come before it */
};

struct argument {
	size_t place;		/* of its first byte, in the format text */
	size_t len;
	struct print_tree *tree;	/* NULL: it cannot be parsed */
	const struct print_node *node;	/* NULL likewise */
	size_t failed;		/* where parsing failed */
};

/* A name, number, string or operator of the arguments. */
struct word {
	size_t place, len;
	int kind;		/* enum print_token */
	int op;			/* of an operator */
	size_t argument;	/* index */
};

struct subject {
	struct results *results;
	struct result *result;
	struct formats *formats;
	const struct event_format *format;	/* NULL: the format is damaged */
	const char *text;	/* result->text */
	size_t print_fmt;	/* offset behind "print fmt: " */
	bool is_generated;	/* written by no person: syscalls and probes */
	bool is_probe;
	bool is_torn;		/* quotes or parentheses of the print fmt do not match */
	ARRAY_OF(struct conversion) conversions;
	ARRAY_OF(struct argument) arguments;
	ARRAY_OF(struct word) words;
	size_t nr_values;	/* number of arguments that the conversions take */
};

/* Parse @result's format.  A damaged format is a finding. */
struct error *subject_init(struct subject *subject, struct results *results,
			   struct result *result);
void subject_deinit(struct subject *subject);

/* The argument that a conversion shows; NULL: it is missing. */
const struct argument *subject_argument(const struct subject *subject,
					const struct conversion *conversion);

/* Whether word @index exists and is this operator. */
bool subject_is_op(const struct subject *subject, size_t index, int op);

/* Whether word @index exists and is this name. */
bool subject_is_name(const struct subject *subject, size_t index, const char *name);

/*
 * Whether word @index begins a mention of a field: "REC->name", or the name in "__get_str(name)".
 * Returns the field's name, to be freed, and the index of its word.  NULL: it does not.
 */
char *subject_mention(const struct subject *subject, size_t index, size_t *ret_at);

/* Whether the kernel generates the event's format, from a prototype or a probe's definition. */
bool subject_is_generated(const struct result *result);

/* Find the offset of the declaration of @field in the format; NO_PLACE: not found. */
size_t subject_declaration(const struct subject *subject, const struct field *field);

#endif
