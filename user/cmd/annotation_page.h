/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The listing of a function as a page of a browser.
 */
#ifndef KTRACE_CMD_ANNOTATION_PAGE_H
#define KTRACE_CMD_ANNOTATION_PAGE_H

#include "lib/strbuf.h"
#include "profile/function_counts.h"
#include "profile/histogram/histogram.h"
#include "session/machine.h"
#include "symbol/source_text.h"

/*
 * Add the listing of an entry's function to @ret, with the samples of the histogram's event in
 * @functions.  *texts, NULL at first, keeps the source files; the caller destroys it.  An error
 * says that no sample is in the function, or why it cannot be listed.
 */
struct error *annotation_page_add(struct machine *machine, const struct function_counts *functions,
				  struct source_texts **texts, const struct histogram *histogram,
				  const struct histogram_entry *entry, struct strbuf *ret);

#endif
