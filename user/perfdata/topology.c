// SPDX-License-Identifier: GPL-2.0
#include "perfdata/topology.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/bytes.h"
#include "lib/cleanup.h"
#include "lib/cpumap.h"
#include "lib/file.h"
#include "perfdata/feature_string.h"

#define CPUS	"/sys/devices/system/cpu"
#define NODES	"/sys/devices/system/node"
#define MEMORY	"/sys/devices/system/memory"

/* Read a text file of sysfs; NULL: there is none.  free() it. */
static char *read_sys(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static char *read_sys(const char *fmt, ...)
{
	char path[256], *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	error_free(file_read_text(path, &text));
	return text;
}

/*
 * Append the different texts that a file has among all CPUs, each once, and return their number.
 * @older is the file's name on older kernels.
 */
static uint32_t add_lists(const struct cpumap *cpus, const char *name, const char *older,
			  struct strbuf *ret)
{
	ARRAY_OF(char *) lists = { 0 };
	uint32_t nr;

	for (size_t i = 0; i < cpus->nr; i++) {
		char *text = read_sys(CPUS "/cpu%u/topology/%s", cpus->cpus[i], name);
		bool known = false;

		if (!text && older)
			text = read_sys(CPUS "/cpu%u/topology/%s", cpus->cpus[i], older);
		for (size_t n = 0; text && n < lists.nr; n++)
			known |= !strcmp(lists.items[n], text);
		if (!text || known || !array_push(&lists, text))
			free(text);
	}
	bytes_add_u32(ret, lists.nr);
	for (size_t n = 0; n < lists.nr; n++) {
		feature_add_string(ret, lists.items[n]);
		free(lists.items[n]);
	}
	nr = lists.nr;
	free(lists.items);
	return nr;
}

/* Append an id of a CPU; as with perf, an offline CPU has -1. */
static void add_cpu_id(unsigned int cpu, const char *name, struct strbuf *ret)
{
	_cleanup_free_ char *text = read_sys(CPUS "/cpu%u/topology/%s", cpu, name);

	bytes_add_u32(ret, text ? (uint32_t)strtol(text, NULL, 10) : UINT32_MAX);
}

void topology_build_cpus(struct strbuf *ret)
{
	_cleanup_(strbuf) struct strbuf dies = STRBUF_INIT;
	unsigned int nr = sysconf(_SC_NPROCESSORS_CONF);
	struct cpumap cpus = { 0 };
	struct error *err = cpumap_online(&cpus);
	size_t start = ret->len;

	error_free(err);
	if (err)
		return;
	if (!add_lists(&cpus, "package_cpus_list", "core_siblings_list", ret)) {
		ret->len = start;
		goto out;
	}
	add_lists(&cpus, "core_cpus_list", "thread_siblings_list", ret);
	for (unsigned int cpu = 0; cpu < nr; cpu++) {
		add_cpu_id(cpu, "core_id", ret);
		add_cpu_id(cpu, "physical_package_id", ret);
	}
	if (!add_lists(&cpus, "die_cpus_list", NULL, &dies))
		goto out;
	strbuf_add(ret, strbuf_str(&dies), dies.len);
	for (unsigned int cpu = 0; cpu < nr; cpu++)
		add_cpu_id(cpu, "die_id", ret);
out:
	cpumap_deinit(&cpus);
}

/* Returns the number of kB behind "Node N KEY:" in a node's meminfo. */
static uint64_t node_kb(const char *meminfo, const char *key)
{
	const char *at = strstr(meminfo, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

void topology_build_nodes(struct strbuf *ret)
{
	_cleanup_free_ char *online = read_sys(NODES "/online");
	struct cpumap nodes = { 0 };
	struct error *err = online ? cpumap_parse(online, &nodes) : NULL;

	error_free(err);
	if (!online || err)
		return;
	bytes_add_u32(ret, nodes.nr);
	for (size_t i = 0; i < nodes.nr; i++) {
		_cleanup_free_ char *info = read_sys(NODES "/node%u/meminfo", nodes.cpus[i]);
		_cleanup_free_ char *cpus = read_sys(NODES "/node%u/cpulist", nodes.cpus[i]);

		bytes_add_u32(ret, nodes.cpus[i]);
		bytes_add_u64(ret, info ? node_kb(info, "MemTotal:") : 0);
		bytes_add_u64(ret, info ? node_kb(info, "MemFree:") : 0);
		feature_add_string(ret, cpus ? cpus : "");
	}
	cpumap_deinit(&nodes);
}

/* Append the numbers of a node's blocks as a bitmap, with the count of its bits before it. */
static void add_blocks(unsigned int node, struct strbuf *ret)
{
	ARRAY_OF(uint64_t) words = { 0 };
	_cleanup_closedir_ DIR *dir = NULL;
	uint64_t nr = 0, number;
	struct dirent *entry;
	char path[256];

	snprintf(path, sizeof(path), NODES "/node%u", node);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		char *end;

		if (strncmp(entry->d_name, "memory", 6))
			continue;
		number = strtoull(entry->d_name + 6, &end, 10);
		if (end == entry->d_name + 6 || *end)
			continue;
		while (words.nr <= number / 64)
			if (!array_push(&words, 0))
				goto out;
		words.items[number / 64] |= 1ULL << number % 64;
		nr = number + 1 > nr ? number + 1 : nr;
	}
	bytes_add_u64(ret, node);
	bytes_add_u64(ret, nr);
	bytes_add_u64(ret, nr);
	for (size_t i = 0; i < words.nr; i++)
		bytes_add_u64(ret, words.items[i]);
out:
	free(words.items);
}

void topology_build_memory(struct strbuf *ret)
{
	_cleanup_free_ char *size = read_sys(MEMORY "/block_size_bytes");
	_cleanup_free_ char *online = size ? read_sys(NODES "/has_memory") : NULL;
	struct cpumap nodes = { 0 };
	struct error *err = online ? cpumap_parse(online, &nodes) : NULL;

	error_free(err);
	if (!online || err)
		return;
	bytes_add_u64(ret, 1);
	bytes_add_u64(ret, strtoull(size, NULL, 16));
	bytes_add_u64(ret, nodes.nr);
	for (size_t i = 0; i < nodes.nr; i++)
		add_blocks(nodes.cpus[i], ret);
	cpumap_deinit(&nodes);
}

/* Append a line for each text of a list; returns their number. */
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
 * The numbers of cores and sockets follow the lists of CPUs.  The lists and numbers of dies come
 * next, but perf prints them in between.  Old headers end before any such part.
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

/* The current range of blocks. */
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

/* Append the blocks of a bitmap, "0-23,32", and return their number. */
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

/* Append "24G".  As in perf, a larger unit is used from 2 of it on. */
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
