/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts samples by keys, as the module counts what fires, where samples are all there is.
 */
#ifndef KTRACE_COUNTS_KEY_SAMPLE_H
#define KTRACE_COUNTS_KEY_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counts/key_counts.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/hash_table.h"
#include "session/session.h"
#include "spec/count_keys.h"

/*
 * Returns the name of a field that only the kernel knows while the event fires, and samples do
 * not have (uid, cgroup ...); static.  NULL: samples have all of them.
 */
const char *key_sample_missing(const struct count_keys *keys);

/*
 * Count a sample in @counts, whose keys have no field that is missing.  @latency is for keys
 * with the role COUNT_END.  *ret_counted is false if there are keys->entries keys already and
 * the sample has another one.
 */
struct error *key_sample_count(struct key_counts *counts, const struct session_record *r,
			       uint64_t latency, bool *ret_counted);

/* Put the pair that a sample has by @keys, keys->pair_bytes, at @pair; returns its hash. */
uint64_t key_sample_pair(const struct count_keys *keys, const struct session_record *r, char *pair);

struct key_start;

/* The starts of latencies that have no end yet, by their pairs.  Zeroed ones are empty. */
struct key_starts {
	struct {
		struct key_start *items;
		size_t nr, alloc;
	} starts;
	size_t open;		/* so many of them have no end yet */
	struct hash_table table;
};

/*
 * Remember the time of a sample by the pair that it has by @keys.  *ret_again: it replaces a
 * start that had no end yet.  *ret_room is false if there are keys->entries open starts.
 */
struct error *key_starts_put(struct key_starts *starts, const struct count_keys *keys,
			     const struct session_record *r, bool *ret_again, bool *ret_room);

/* Forget the start of a sample's pair; false: there is none.  *ret: the ns since then. */
bool key_starts_take(struct key_starts *starts, const struct count_keys *keys,
		     const struct session_record *r, uint64_t *ret);

void key_starts_deinit(struct key_starts *starts);
DEFINE_CLEANUP(key_starts, struct key_starts, key_starts_deinit)

#endif
