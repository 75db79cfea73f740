/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts samples by keys, as the module counts firings, for cases where only samples are available.
 */
#ifndef KTRACE_COUNTS_KEY_SAMPLE_H
#define KTRACE_COUNTS_KEY_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counts/key_counts.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/hash_table.h"
#include "session/session.h"
#include "spec/count_keys.h"

/*
 * Returns the name of a field that is not in samples, because only the kernel knows it while the
 * event fires (uid, cgroup ...); static.  NULL: samples have all fields.
 */
const char *key_sample_missing(const struct count_keys *keys);

/*
 * Count a sample in @counts, whose keys have no missing field.  @latency is for keys with the role
 * COUNT_END.  *ret_counted is false if there are keys->entries keys already and the sample has a
 * new one.
 */
struct error *key_sample_count(struct key_counts *counts, const struct session_record *r,
			       uint64_t latency, bool *ret_counted);

/* Store a sample's pair by @keys, keys->pair_bytes, at @pair; returns its hash. */
uint64_t key_sample_pair(const struct count_keys *keys, const struct session_record *r, char *pair);

struct key_start;

/* The starts of latencies without an end so far, by their pairs.  Initialize it to zeros. */
struct key_starts {
	ARRAY_OF(struct key_start) starts;
	size_t open;		/* number of starts without an end */
	struct hash_table table;
};

/*
 * Remember the time of a sample by its pair of @keys.  *ret_again: it replaces a start without an
 * end.  *ret_room is false if there are keys->entries open starts.
 */
struct error *key_starts_put(struct key_starts *starts, const struct count_keys *keys,
			     const struct session_record *r, bool *ret_again, bool *ret_room);

/* Remove the start of a sample's pair; false: there is none.  *ret: the ns since then. */
bool key_starts_take(struct key_starts *starts, const struct count_keys *keys,
		     const struct session_record *r, uint64_t *ret);

void key_starts_deinit(struct key_starts *starts);
DEFINE_CLEANUP(key_starts, struct key_starts, key_starts_deinit)

#endif
