/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of `ktrace lock`, which are perf's.
 */
#ifndef KTRACE_TABLE_LOCK_LOCK_TEXT_H
#define KTRACE_TABLE_LOCK_LOCK_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"
#include "session/machine.h"
#include "table/lock/lock_contention.h"
#include "table/print/table_print.h"

struct lock_text {
	const struct lock_contention *locks;	/* sorted */
	enum lock_by by;
	enum lock_key keys[LOCK_KEYS];	/* the columns */
	size_t nr_keys;
	size_t entries;			/* rows to show */
	struct machine *stacks;		/* to show call chains with, in text; NULL: none */
};

/* Contention has the columns first, report has the name first. */
void lock_contention_add(const struct lock_text *text, const struct table_output *output,
			 struct strbuf *out);
void lock_report_add(const struct lock_text *text, const struct table_output *output,
		     struct strbuf *out);

/* The threads that waited, and the locks. */
void lock_threads_text_add(const struct lock_contention *locks, struct strbuf *out);
void lock_map_text_add(const struct lock_contention *locks, struct strbuf *out);

#endif
