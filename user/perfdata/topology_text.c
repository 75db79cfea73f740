// SPDX-License-Identifier: GPL-2.0
#include "perfdata/topology_text.h"

#include <inttypes.h>

#include "lib/cleanup.h"

/* Append a line for each text of a list; returns how many there are. */
static uint32_t add_siblings(struct strbuf *out, struct bytes *b, const char *what)
{
	uint32_t nr = bytes_take_u32(b);

	for (uint32_t i = 0; i < nr && b->ok; i++) {
		_cleanup_free_ char *cpus = bytes_take_string(b);

		if (cpus)
			strbuf_addf(out, "sibling %s : %s\n", what, cpus);
	}
	return nr;
}

/*
 * The numbers of cores and sockets follow the lists of CPUs, and behind them come the lists and
 * numbers of dies, which perf prints between them.  Old headers end before one or the other.
 */
static void add_cpu_topology(struct strbuf *out, struct bytes *b, uint32_t nr_cpus)
{
	_cleanup_(strbuf) struct strbuf threads = STRBUF_INIT;
	struct bytes cores, dies;
	uint32_t nr_dies = 0;

	add_siblings(out, b, "sockets");
	add_siblings(&threads, b, "threads");
	cores = *b;
	bytes_take(b, nr_cpus * 8ULL);
	if (b->ok && b->p < b->end)
		nr_dies = add_siblings(out, b, "dies   ");
	dies = *b;
	strbuf_add(out, strbuf_str(&threads), threads.len);
	if (cores.p == cores.end)
		strbuf_addstr(out, "Core ID and Socket ID information is not available\n");
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		int32_t core = bytes_take_u32(&cores), socket = bytes_take_u32(&cores);
		int32_t die = bytes_take_u32(&dies);

		if (!cores.ok || (nr_dies && !dies.ok))
			break;
		strbuf_addf(out, "CPU %" PRIu32 ": Core ID %" PRId32, cpu, core);
		if (nr_dies)
			strbuf_addf(out, ", Die ID %" PRId32, die);
		strbuf_addf(out, ", Socket ID %" PRId32 "\n", socket);
	}
}

static void add_numa_nodes(struct strbuf *out, struct bytes *b)
{
	for (uint32_t nr = bytes_take_u32(b); nr && b->ok; nr--) {
		uint32_t node = bytes_take_u32(b);
		uint64_t all = bytes_take_u64(b), unused = bytes_take_u64(b);
		_cleanup_free_ char *cpus = bytes_take_string(b);

		if (!cpus)
			return;
		strbuf_addf(out, "node%" PRIu32 " meminfo  : total = %" PRIu64 " kB, free = %" PRIu64
			    " kB\n", node, all, unused);
		strbuf_addf(out, "node%" PRIu32 " cpu list : %s\n", node, cpus);
	}
}

static void add_caches(struct strbuf *out, struct bytes *b)
{
	bytes_take_u32(b);	/* the version of the format, which is 1 */
	strbuf_addstr(out, "CPU cache info:\n");
	for (uint32_t nr = bytes_take_u32(b); nr && b->ok; nr--) {
		uint32_t level = bytes_take_u32(b);

		/* perf prints neither the size of lines nor the numbers of sets and ways. */
		bytes_take(b, 3 * sizeof(uint32_t));

		_cleanup_free_ char *type = bytes_take_string(b);
		_cleanup_free_ char *size = bytes_take_string(b);
		_cleanup_free_ char *cpus = bytes_take_string(b);

		if (type && size && cpus)
			strbuf_addf(out, " L%" PRIu32 " %-15s %8s [%s]\n", level, type, size, cpus);
	}
}

/* A range of blocks that is being read. */
struct block_range {
	uint64_t first, end;	/* the same: none */
	bool continues;
};

static void add_block_range(struct strbuf *out, struct block_range *range)
{
	if (range->first == range->end)
		return;
	strbuf_addf(out, "%s%" PRIu64, range->continues ? "," : "", range->first);
	if (range->end - range->first > 1)
		strbuf_addf(out, "-%" PRIu64, range->end - 1);
	range->continues = true;
}

/* Append the blocks of a bitmap, "0-23,32", and return how many they are. */
static uint64_t add_block_list(struct strbuf *out, struct bytes *b)
{
	uint64_t bits = bytes_take_u64(b), nr = 0;
	struct block_range range = { .first = 0 };

	for (uint64_t from = 0; from < bits && b->ok; from += 64) {
		uint64_t word = bytes_take_u64(b);

		for (uint64_t at = from; at < bits && at < from + 64; at++) {
			if (!(word >> (at - from) & 1))
				continue;
			if (range.end != at) {
				add_block_range(out, &range);
				range.first = at;
			}
			range.end = at + 1;
			nr++;
		}
		if (bits - from <= 64)
			break;
	}
	add_block_range(out, &range);
	return nr;
}

/* Append "24G": as in perf, a larger unit is for what is 2 of it at least. */
static void add_memory_size(struct strbuf *out, uint64_t bytes)
{
	static const char units[] = "BKMG";
	size_t unit = 0;

	for (; bytes / 1024 > 1 && units[unit + 1]; unit++)
		bytes /= 1024;
	strbuf_addf(out, "%" PRIu64 "%c", bytes, units[unit]);
}

static void add_memory_nodes(struct strbuf *out, struct bytes *b)
{
	uint64_t block, nr;

	bytes_take_u64(b);	/* the version of the format, which is 1 */
	block = bytes_take_u64(b);
	nr = bytes_take_u64(b);
	strbuf_addf(out, "memory nodes (nr %" PRIu64 ", block size 0x%" PRIx64 "):\n", nr, block);
	while (nr-- && b->ok) {
		_cleanup_(strbuf) struct strbuf blocks = STRBUF_INIT;
		uint64_t node = bytes_take_u64(b);
		uint64_t size;

		bytes_take_u64(b);	/* in blocks, holes included, which perf does not print */
		size = add_block_list(&blocks, b) * block;
		if (!b->ok)
			return;
		strbuf_addf(out, " %3" PRIu64 " [", node);
		add_memory_size(out, size);
		strbuf_addf(out, "]: %s\n", strbuf_str(&blocks));
	}
}

static void add_hybrid_pmus(struct strbuf *out, struct bytes *b)
{
	strbuf_addstr(out, "hybrid cpu system:\n");
	for (uint32_t nr = bytes_take_u32(b); nr && b->ok; nr--) {
		_cleanup_free_ char *pmu = bytes_take_string(b);
		_cleanup_free_ char *cpus = bytes_take_string(b);

		if (pmu && cpus)
			strbuf_addf(out, "%s cpu list : %s\n", pmu, cpus);
	}
}

bool topology_text_add(struct strbuf *out, enum feature feature, struct bytes *b,
		       uint32_t nr_cpus)
{
	switch (feature) {
	case FEATURE_CPU_TOPOLOGY:
		add_cpu_topology(out, b, nr_cpus);
		return true;
	case FEATURE_NUMA_TOPOLOGY:
		add_numa_nodes(out, b);
		return true;
	case FEATURE_CACHE:
		add_caches(out, b);
		return true;
	case FEATURE_MEM_TOPOLOGY:
		add_memory_nodes(out, b);
		return true;
	case FEATURE_HYBRID_TOPOLOGY:
		add_hybrid_pmus(out, b);
		return true;
	default:
		return false;
	}
}
