/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of `ktrace kmem stat --page`, which are perf's.
 */
#ifndef KTRACE_TABLE_KMEM_PAGE_TEXT_H
#define KTRACE_TABLE_KMEM_PAGE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "lib/strbuf.h"
#include "session/machine.h"
#include "table/kmem/kmem_stat.h"
#include "table/print/table_print.h"

/* The data of the tables of pages; all is borrowed. */
struct page_text {
	const struct page_allocations *pages;	/* sorted */
	const struct gfp_names *gfp;
	struct machine *machine;	/* NULL: call sites are numbers */
	bool by_number;			/* pages are known by their numbers */
	struct strbuf short_names;	/* of gfp, by page_text_begin() */
	size_t *offsets;		/* of each in short_names */
	size_t width;			/* of the longest */
};

/* Shorten the names of the flags. */
struct error *page_text_begin(struct page_text *text);
void page_text_deinit(struct page_text *text);
DEFINE_CLEANUP(page_text, struct page_text, page_text_deinit)

/* Append the table that explains the flags, in text. */
void page_flags_text_add(const struct page_text *text, struct strbuf *out);

/* Append tables of @lines rows each. */
void page_callers_add(const struct page_text *text, size_t lines,
		      const struct table_output *output, struct strbuf *out);
void page_pages_add(const struct page_text *text, size_t lines, const struct table_output *output,
		    struct strbuf *out);

/* Append the sums; in text, thousands are separated as in the locale. */
void page_totals_add(const struct page_totals *totals, const struct table_output *output,
		     struct strbuf *out);

#endif
