/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values of samples for keys of histograms that are no members of entries.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_VALUES_H
#define KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_VALUES_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "profile/histogram/histogram_keys.h"
#include "session/session.h"

struct histogram_options;
struct perf_branch_entry;
struct session_record;
struct symbol;

/* The source of values. */
struct histogram_subject {
	const struct session_record *r;
	const struct perf_branch_entry *branch;	/* one of its branches; NULL: the sample itself */
	const struct symbol *parent;	/* the caller that is searched for; NULL: none */
	unsigned int parallelism;	/* number of running tasks; 0: not needed */
};

/* A value of an extra key.  A text may contain any bytes of a recording. */
struct histogram_value {
	uint64_t number;
	const char *text;	/* NULL: the number is the value */
};

/* All different values, and combinations of them. */
struct histogram_extras;

struct error *histogram_extras_create(struct histogram_extras **ret);
void histogram_extras_destroy(struct histogram_extras *extras);

/*
 * Read the values of a sample for all keys.  Equal values give equal pointers, which live as long
 * as @extras.  *ret is NULL if no key has a value.  The only possible error is lack of memory.
 */
struct error *histogram_extras_read(struct histogram_extras *extras,
				    const struct histogram_options *options,
				    const struct histogram_subject *subject,
				    const struct histogram_value **ret);

/*
 * The values of samples that depend on addresses, as perf report prints them: source lines, ends of
 * branches, and accessed data.
 */

/*
 * Append the text of the value of such a key.  *ret_number is the sort key, as in perf.  Returns
 * false if the value is that number itself.
 */
bool histogram_place_text(struct strbuf *out, enum histogram_key key,
			  const struct histogram_options *options,
			  const struct histogram_subject *subject, uint64_t *ret_number);

/*
 * The values of the keys of data types: the objects that the instructions of samples access, as
 * perf report prints them.
 */

/* The known addresses; each is looked up once. */
struct histogram_types;

struct error *histogram_types_create(struct histogram_types **ret);
void histogram_types_destroy(struct histogram_types *types);
DEFINE_CLEANUP_PTR(histogram_types, struct histogram_types, histogram_types_destroy)

/*
 * Append the text of such a key for a sample.  Its session has a machine, which must live as long
 * as samples come.
 */
struct error *histogram_types_add(struct histogram_types *types, enum histogram_key key,
				  const struct session_record *r, struct strbuf *out);

#endif
