/* SPDX-License-Identifier: GPL-2.0 */
/* Compares the records that two capture methods stored of the same firings. */
#ifndef KTRACE_CHECK_COMPARE_H
#define KTRACE_CHECK_COMPARE_H

#include "check/bracket.h"
#include "check/captured.h"
#include "check/finding.h"

/*
 * Compare two captures.  Both are sorted, their events are those of @results, and @formats are by
 * event (NULL: it is not compared).  Differences are findings, with a diff of the first record that
 * differs.  @bracket, whose from is @from, gives the cause of a difference.  @to_tracefs: @to is
 * ftrace's own buffer.  On a preemptible kernel its common_preempt_count differs: ftrace subtracts
 * the count that the tracepoint itself added, perf does not.
 */
struct error *compare_captured(struct results *results, const struct event_format *const *formats,
			       const struct captured *from, const struct captured *to,
			       const struct bracket *bracket, bool to_tracefs);

/* Texts of the records, indexed like captured->items; NULL: no text. */
struct compare_texts {
	char **kernel, **libtraceevent;
};

/*
 * Compare these texts with each other and with ktrace's own, which are formatted here.  The
 * kernel's texts are left out for generated events (system calls), which have no print fmt, and for
 * events that print pointers (hashed) or symbols (with their size).
 */
void compare_text(struct results *results, const struct event_format *const *formats,
		  const struct captured *captured, const struct compare_texts *texts);

#endif
