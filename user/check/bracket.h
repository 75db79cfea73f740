/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Distinguishes a value that the kernel changes between two captures of one firing from a value
 * that a capture method decodes wrong.  Each method runs the event's assignment by itself, one
 * after the other, and the assignment may read memory that another CPU writes meanwhile.  So the
 * same decoder, ftrace's, captures each firing twice: before all other methods and after them.  If
 * both have the same value, nothing changed in between, and a different value is decoded wrong.  If
 * they differ, the kernel has changed the value.  The other methods may have either of them, or a
 * value between these two.
 */
#ifndef KTRACE_CHECK_BRACKET_H
#define KTRACE_CHECK_BRACKET_H

#include "check/finding.h"
#include "check/firing_pair.h"

enum bracket_cause {
	CAUSE_UNKNOWN,	/* not captured twice, or not around both methods */
	CAUSE_DECODING,
	CAUSE_KERNEL,
	CAUSES_NR
};

struct bracket {
	const struct captured *from, *before, *after;	/* borrowed */
	/* By index in from->items; NULL: the record is missing or ambiguous. */
	struct bracket_around { const struct captured_record *before, *after; } *items;
};

/*
 * @before and @after are ftrace's first and last captures of the firings in @from.  All are sorted,
 * have the events of @results, and outlive @ret; @formats are by event.  NULL as @after: ftrace did
 * not capture twice, and each cause is unknown.
 */
struct error *bracket_init(struct bracket *ret, const struct results *results,
			   const struct event_format *const *formats, const struct captured *from,
			   const struct captured *before, const struct captured *after);
void bracket_deinit(struct bracket *bracket);

/*
 * Why the values of @field differ in @a, a record of pair->from, which is the bracket's, and
 * @b, one of pair->to.
 */
enum bracket_cause bracket_cause(const struct bracket *bracket, const struct firing_pair *pair,
				 const struct field *field, const struct captured_record *a,
				 const struct captured_record *b);

/* The captures around @a, a record of bracket->from. */
static inline struct bracket_around bracket_around(const struct bracket *bracket,
						   const struct captured_record *a)
{
	return bracket->items[a - bracket->from->items];
}

#endif
