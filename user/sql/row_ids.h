/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gives rows numbers that are the same in all queries, however few rows a scan reads: SQLite takes
 * rows of several scans with one number for one row.  A number is made of what the sample has; of
 * samples that have all of it in common, in whichever order they follow one another in the file.
 */
#ifndef KTRACE_SQL_ROW_IDS_H
#define KTRACE_SQL_ROW_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

/* What tells rows apart. */
struct row_key {
	int64_t time, cpu, tid;	/* 0: the event has none */
	size_t event;		/* its index */
};

struct row_ids {
	struct row_last *last;	/* by event; owned */
};

/* For a scan of @nr_events events. */
struct error *row_ids_init(struct row_ids *ids, size_t nr_events);
void row_ids_deinit(struct row_ids *ids);

/* The number of the next row of a scan, not negative; @key->event is below @nr_events. */
int64_t row_ids_next(struct row_ids *ids, const struct row_key *key);

#endif
