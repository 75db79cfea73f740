// SPDX-License-Identifier: GPL-2.0
#include "perfdata/topology.h"

#include <dirent.h>
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
 * Append the different texts that a file has among all CPUs, each once, and return
 * their number.  @older is the file's name on older kernels.
 */
static uint32_t add_lists(const struct cpumap *cpus, const char *name, const char *older,
			  struct strbuf *ret)
{
	struct {
		char **items;
		size_t nr, alloc;
	} lists = { 0 };
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

/* Give the number of kB that follows "Node N KEY:" in a node's meminfo. */
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
	struct {
		uint64_t *items;
		size_t nr, alloc;
	} words = { 0 };
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
