/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts the samples of each function by address, for annotated listings.
 */
#ifndef KTRACE_PROFILE_FUNCTION_COUNTS_H
#define KTRACE_PROFILE_FUNCTION_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "session/session.h"

struct sample_count {
	uint64_t samples, period;
};

/* The samples of one event at one address. */
struct address_count {
	uint64_t offset;		/* from the start of the function */
	size_t event;			/* its index in the recording */
	struct sample_count count;
};

struct counted_function {
	struct dso *dso;		/* borrowed, as is the symbol */
	const struct symbol *symbol;
	uint64_t start;			/* address of its first byte in memory, in one process */
	struct sample_count all;	/* of all events */
	ARRAY_OF(struct address_count) addresses;	/* in no order */
};

struct function_counts;

struct error *function_counts_create(struct function_counts **ret);
void function_counts_destroy(struct function_counts *counts);

/* The consumer for session_run(); its session needs a machine. */
struct session_consumer *function_counts_consumer(struct function_counts *counts);

/* Count one sample, for consumers that also process it in other ways. */
struct error *function_counts_add(struct function_counts *counts,
				  const struct session_record *r);

/* The functions in the order of arrival. */
size_t function_counts_nr(const struct function_counts *counts);
const struct counted_function *function_counts_at(const struct function_counts *counts,
						  size_t position);

/* Find a function; NULL: it has no samples. */
const struct counted_function *function_counts_find(const struct function_counts *counts,
						    const struct dso *dso,
						    const struct symbol *symbol);

/* All samples of an event, also those in no function. */
struct sample_count function_counts_total(const struct function_counts *counts, size_t event);

/* The samples of all events that are in no known function. */
uint64_t function_counts_unknown(const struct function_counts *counts);

#endif
