/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts the samples of each event at each address of a binary, for annotations and for the
 * source lines of a function.  Samples at addresses that lie in no binary are left out.
 */
#ifndef KTRACE_ANALYSIS_ADDRESS_COUNTS_H
#define KTRACE_ANALYSIS_ADDRESS_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "session/session.h"

/* @address is as dso_find() takes it, so that symbols have it between their start and end. */
struct address_count {
	const struct dso *dso;
	uint64_t address;
	uint64_t period, samples;
};

struct address_counts;

struct error *address_counts_create(struct address_counts **ret);
void address_counts_destroy(struct address_counts *counts);
DEFINE_CLEANUP_PTR(address_counts, struct address_counts, address_counts_destroy)

/* Takes all samples of a session that has a machine. */
struct session_consumer *address_counts_consumer(struct address_counts *counts);

/* Take one sample; the only error is to be out of memory. */
struct error *address_counts_add(struct address_counts *counts, const struct session_record *r);

/*
 * Give the counts of the event with this index from @start up to before @end, ascending by
 * address.  Samples may be added before and after.  *ret is the caller's, for free(), and NULL
 * if there are none.  The only error is to be out of memory.
 */
struct error *address_counts_find(const struct address_counts *counts, size_t event,
				  const struct dso *dso, uint64_t start, uint64_t end,
				  struct address_count **ret, size_t *ret_nr);

/* Begin again without any samples. */
void address_counts_clear(struct address_counts *counts);

#endif
