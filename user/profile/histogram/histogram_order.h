/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sort order of histogram entries.  All functions return a number below 0 if @a comes first,
 * above 0 if @b does.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_ORDER_H
#define KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_ORDER_H

#include "profile/histogram/histogram.h"

/* Whether callers come above their callees. */
bool histogram_callers_first(const struct histogram_options *options);

/*
 * Compare by the requested order, or else by size, the largest first, and then by keys.  For
 * qsort_r(): pointers to entries, and options.
 */
int histogram_compare_entries(const void *a, const void *b, void *options);

/* Compare the values of the key at a position in the options' list. */
int histogram_compare_keys(const struct histogram_options *options, size_t position,
			   const struct histogram_entry *a, const struct histogram_entry *b);

/* Among equal entries of one thread, callers come above their callees, or below. */
int histogram_compare_depths(const struct histogram_options *options,
			     const struct histogram_entry *a, const struct histogram_entry *b);

/* Compare all keys; no two entries of an event are equal. */
int histogram_compare_keys_and_rest(const struct histogram_options *options,
				    const struct histogram_entry *a,
				    const struct histogram_entry *b);

static inline const char *histogram_dso_text(const struct dso *dso)
{
	return dso ? dso->short_name : "[unknown]";
}

/* The order of the binaries of two entries; 0: they are shown as equal. */
static inline int histogram_compare_dsos(const struct histogram_entry *a,
					 const struct histogram_entry *b)
{
	if (a->by_path && a->dso && b->dso)
		return strcmp(a->dso->name, b->dso->name);
	return strcmp(histogram_dso_text(a->dso), histogram_dso_text(b->dso));
}

#endif
