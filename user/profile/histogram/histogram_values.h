/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What samples have for the keys of histograms that are no members of their entries.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_VALUES_H
#define KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_VALUES_H

#include <stdint.h>

#include "lib/error.h"

struct histogram_options;
struct perf_branch_entry;
struct session_record;
struct symbol;

/* What values are read of. */
struct histogram_subject {
	const struct session_record *r;
	const struct perf_branch_entry *branch;	/* one of its branches; NULL: the sample itself */
	const struct symbol *parent;	/* the caller that is looked for; NULL: none */
};

/* A value of an extra key.  A text may be anything that a recording contains. */
struct histogram_value {
	uint64_t number;
	const char *text;	/* NULL: the number is the value */
};

/* All different values, and combinations of them. */
struct histogram_extras;

struct error *histogram_extras_create(struct histogram_extras **ret);
void histogram_extras_destroy(struct histogram_extras *extras);

/*
 * Read the values of a sample for all keys.  Equal values give equal pointers, which live as
 * long as @extras.  *ret is NULL if no key has a value there.  The only error is to be out of
 * memory.
 */
struct error *histogram_extras_read(struct histogram_extras *extras,
				    const struct histogram_options *options,
				    const struct histogram_subject *subject,
				    const struct histogram_value **ret);

#endif
