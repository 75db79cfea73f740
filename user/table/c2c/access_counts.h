/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts memory accesses by the data source of their samples, as `perf c2c` does.  HITM means that
 * another cache had a modified copy of the line.
 */
#ifndef KTRACE_TABLE_C2C_ACCESS_COUNTS_H
#define KTRACE_TABLE_C2C_ACCESS_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

enum access_count {
	ACCESS_SAMPLES, ACCESS_LOCKED, ACCESS_BLOCKED_DATA, ACCESS_BLOCKED_ADDRESS,
	/* All loads, and loads by the memory that had the data. */
	ACCESS_LOADS, ACCESS_LOAD_NO_ADDRESS, ACCESS_LOAD_UNCACHED, ACCESS_LOAD_IO,
	ACCESS_LOAD_MISS, ACCESS_LOAD_FILL_BUFFER, ACCESS_LOAD_L1, ACCESS_LOAD_L2,
	ACCESS_LOAD_LLC, ACCESS_LOAD_REMOTE_CACHE, ACCESS_LOAD_LOCAL_RAM, ACCESS_LOAD_REMOTE_RAM,
	ACCESS_LOAD_EXCLUSIVE, ACCESS_LOAD_SHARED,
	ACCESS_LOCAL_HITM, ACCESS_REMOTE_HITM, ACCESS_LOCAL_PEER, ACCESS_REMOTE_PEER,
	ACCESS_STORES, ACCESS_STORE_NO_ADDRESS, ACCESS_STORE_UNCACHED, ACCESS_STORE_L1,
	ACCESS_STORE_L1_MISS, ACCESS_STORE_UNKNOWN,
	ACCESS_NO_MAP,		/* the mapping of the code or the data is unknown */
	ACCESS_NO_SOURCE,	/* neither a load nor a store */
	ACCESS_COUNTS,

	/* Sums of these. */
	ACCESS_HITM = ACCESS_COUNTS, ACCESS_PEER,
	ACCESS_LLC_HITS,	/* with local HITM */
	ACCESS_LLC_MISSES, ACCESS_PLACED_LOADS, ACCESS_PLACED_STORES, ACCESS_PLACED,
};

struct access_counts {
	uint64_t items[ACCESS_COUNTS];
};

/*
 * Count one sample.  @address is that of the data; @mapped: the mappings of the code and of the
 * data are known.
 */
void access_counts_add(struct access_counts *counts, uint64_t data_source, uint64_t address,
		       bool mapped);

void access_counts_join(struct access_counts *counts, const struct access_counts *more);

/* One of the counts, or a sum of them. */
uint64_t access_count(const struct access_counts *counts, enum access_count which);

#endif
