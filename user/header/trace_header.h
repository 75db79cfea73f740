/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events and classes that a trace header declares, found in its text.
 *
 * Events are TRACE_EVENT() and DEFINE_EVENT() with their variants, and calls of a macro of the same
 * header that expands to a DEFINE_EVENT().  Directives such as #if are not evaluated.
 */
#ifndef KTRACE_HEADER_TRACE_HEADER_H
#define KTRACE_HEADER_TRACE_HEADER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"

enum header_part_kind {
	PART_PROTO,		/* TP_PROTO() */
	PART_ENTRY,		/* TP_STRUCT__entry() */
	PART_ASSIGN,		/* TP_fast_assign() */
	PART_PRINT,		/* TP_printk() */
	PARTS_NR
};

/* The text between the parentheses of a part. */
struct header_part {
	size_t place, len;	/* bytes of the header's text; place 0: the part is missing */
};

struct header_event {
	char *system;		/* TRACE_SYSTEM; "" before it is defined */
	char *name;
	char *class_name;	/* the same as @name for a TRACE_EVENT() */
	bool is_class;		/* DECLARE_EVENT_CLASS(): not an event */
	size_t line, last_line;	/* of the macro, from 1 */
	struct header_part parts[PARTS_NR];	/* its own; see trace_header_part() */
};

struct header_macro {
	char *name;
	struct header_part body;
};

struct trace_header {
	/* As long as the file, with blanks in place of comments. */
	char *text;
	ARRAY_OF(struct header_event) events;
	ARRAY_OF(struct header_macro) macros;	/* by name */
};

/* Parse the text, which is copied. */
struct error *trace_header_create(const char *text, struct trace_header **ret);
void trace_header_destroy(struct trace_header *header);
DEFINE_CLEANUP_PTR(trace_header, struct trace_header, trace_header_destroy)

/* A part of @event, or else of its class; NULL: neither has it. */
const struct header_part *trace_header_part(const struct trace_header *header,
					    const struct header_event *event,
					    enum header_part_kind kind);

/* The line, from 1, of a byte of the text. */
size_t trace_header_line(const struct trace_header *header, size_t place);

/*
 * That line of the text without surrounding blanks and without control characters, to be freed.
 * NULL: out of memory.
 */
char *trace_header_excerpt(const struct trace_header *header, size_t line);

/*
 * Find a word in a part; returns its offset, or 0.  The search begins at @from, at first the part's
 * place.
 */
size_t trace_header_find_word(const struct trace_header *header, const struct header_part *part,
			      size_t from, const char *word);

/*
 * The text of a part, and behind it the bodies of all macros of the header that it names, directly
 * or indirectly, to be freed.  NULL: out of memory.  Backslashes at line ends become blanks.
 */
char *trace_header_expand(const struct trace_header *header, const struct header_part *part);

/* The offset behind the parenthesis that closes the one at @open; 0: it is not closed. */
size_t trace_header_close(const char *text, size_t open);

#endif
