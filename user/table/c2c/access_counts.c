// SPDX-License-Identifier: GPL-2.0
#include "table/c2c/access_counts.h"

#include <linux/perf_event.h>
#include <stddef.h>

#include "lib/array.h"

/* A count, and the bits of the data source that it needs. */
struct access_rule {
	enum access_count count;
	uint32_t level;		/* bits of mem_lvl; one is enough */
};

static void access_apply(struct access_counts *counts, const struct access_rule *rules, size_t nr,
			 uint32_t level)
{
	for (size_t i = 0; i < nr; i++)
		counts->items[rules[i].count] += !!(level & rules[i].level);
}

/* A load that RAM has answered; RAM has no other copy unless a cache snooped one. */
static void access_add_ram(struct access_counts *counts, enum access_count where, bool shared)
{
	counts->items[where]++;
	counts->items[shared ? ACCESS_LOAD_SHARED : ACCESS_LOAD_EXCLUSIVE]++;
}

static void access_add_load(struct access_counts *counts, const union perf_mem_data_src *source)
{
	static const struct access_rule hits[] = {
		{ ACCESS_LOAD_UNCACHED, PERF_MEM_LVL_UNC }, { ACCESS_LOAD_IO, PERF_MEM_LVL_IO },
		{ ACCESS_LOAD_FILL_BUFFER, PERF_MEM_LVL_LFB }, { ACCESS_LOAD_L1, PERF_MEM_LVL_L1 },
		{ ACCESS_LOAD_L2, PERF_MEM_LVL_L2 },
	};
	uint32_t level = source->mem_lvl;
	bool hitm = source->mem_snoop & PERF_MEM_SNOOP_HITM;
	bool shared = source->mem_snoop & PERF_MEM_SNOOP_HIT;
	bool peer = source->mem_snoopx & PERF_MEM_SNOOPX_PEER;
	/* With hops, the bit also means another core of the same node. */
	bool remote = source->mem_remote && !source->mem_hops;

	if (level & PERF_MEM_LVL_HIT) {
		access_apply(counts, hits, ARRAY_SIZE(hits), level);
		if (level & PERF_MEM_LVL_L3)
			counts->items[hitm ? ACCESS_LOCAL_HITM : ACCESS_LOAD_LLC]++;
		if (peer)
			counts->items[ACCESS_LOCAL_PEER] += !!(level & PERF_MEM_LVL_L2) +
							    !!(level & PERF_MEM_LVL_L3);
		if (level & PERF_MEM_LVL_LOC_RAM)
			access_add_ram(counts, ACCESS_LOAD_LOCAL_RAM, shared);
		if (remote || level & (PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2))
			access_add_ram(counts, ACCESS_LOAD_REMOTE_RAM, shared);
	}
	if (remote || level & (PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2)) {
		bool from_peer = peer && !shared && !hitm;

		counts->items[ACCESS_LOAD_REMOTE_CACHE] += shared || from_peer;
		counts->items[ACCESS_REMOTE_HITM] += hitm && !shared;
		counts->items[ACCESS_REMOTE_PEER] += from_peer;
	}
	counts->items[ACCESS_LOAD_MISS] += !!(level & PERF_MEM_LVL_MISS);
}

static void access_add_store(struct access_counts *counts, uint32_t level)
{
	static const struct access_rule hits[] = {
		{ ACCESS_STORE_UNCACHED, PERF_MEM_LVL_UNC }, { ACCESS_STORE_L1, PERF_MEM_LVL_L1 },
	};

	if (level & PERF_MEM_LVL_HIT)
		access_apply(counts, hits, ARRAY_SIZE(hits), level);
	if (level & PERF_MEM_LVL_MISS && level & PERF_MEM_LVL_L1)
		counts->items[ACCESS_STORE_L1_MISS]++;
	if (level & PERF_MEM_LVL_NA)
		counts->items[ACCESS_STORE_UNKNOWN]++;
}

void access_counts_add(struct access_counts *counts, uint64_t data_source, uint64_t address,
		       bool mapped)
{
	const union perf_mem_data_src source = { .val = data_source };
	bool load = source.mem_op & PERF_MEM_OP_LOAD;

	counts->items[ACCESS_SAMPLES]++;
	counts->items[ACCESS_LOCKED] += !!(source.mem_lock & PERF_MEM_LOCK_LOCKED);
	counts->items[ACCESS_BLOCKED_DATA] += !!(source.mem_blk & PERF_MEM_BLK_DATA);
	counts->items[ACCESS_BLOCKED_ADDRESS] += !!(source.mem_blk & PERF_MEM_BLK_ADDR);
	if (!load && !(source.mem_op & PERF_MEM_OP_STORE)) {
		counts->items[ACCESS_NO_SOURCE]++;
		return;
	}
	counts->items[load ? ACCESS_LOADS : ACCESS_STORES]++;
	if (!address) {
		counts->items[load ? ACCESS_LOAD_NO_ADDRESS : ACCESS_STORE_NO_ADDRESS]++;
		return;
	}
	if (load)
		access_add_load(counts, &source);
	else
		access_add_store(counts, source.mem_lvl);
	counts->items[ACCESS_NO_MAP] += !mapped;
}

void access_counts_join(struct access_counts *counts, const struct access_counts *more)
{
	for (size_t i = 0; i < ACCESS_COUNTS; i++)
		counts->items[i] += more->items[i];
}

uint64_t access_count(const struct access_counts *counts, enum access_count which)
{
	const uint64_t *n = counts->items;

	switch (which) {
	case ACCESS_HITM:
		return n[ACCESS_LOCAL_HITM] + n[ACCESS_REMOTE_HITM];
	case ACCESS_PEER:
		return n[ACCESS_LOCAL_PEER] + n[ACCESS_REMOTE_PEER];
	case ACCESS_LLC_HITS:
		return n[ACCESS_LOAD_LLC] + n[ACCESS_LOCAL_HITM];
	case ACCESS_LLC_MISSES:
		return n[ACCESS_LOAD_LOCAL_RAM] + n[ACCESS_LOAD_REMOTE_RAM] +
		       n[ACCESS_REMOTE_HITM] + n[ACCESS_LOAD_REMOTE_CACHE];
	case ACCESS_PLACED_LOADS:
		return access_count(counts, ACCESS_LLC_MISSES) + n[ACCESS_LOAD_FILL_BUFFER] +
		       n[ACCESS_LOAD_L1] + n[ACCESS_LOAD_L2] +
		       access_count(counts, ACCESS_LLC_HITS);
	case ACCESS_PLACED_STORES:
		return n[ACCESS_STORE_L1] + n[ACCESS_STORE_L1_MISS] + n[ACCESS_STORE_UNKNOWN];
	case ACCESS_PLACED:
		return access_count(counts, ACCESS_PLACED_LOADS) +
		       access_count(counts, ACCESS_PLACED_STORES);
	default:
		return n[which];
	}
}
