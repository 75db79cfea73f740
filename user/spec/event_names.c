// SPDX-License-Identifier: GPL-2.0
#include "spec/event_names.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/array.h"

#define HW(name, alias, config) \
	{ name, alias, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, EVENT_TOOL_NONE }
#define SW(name, alias, config) { name, alias, PERF_TYPE_SOFTWARE, config, EVENT_TOOL_NONE }
#define TOOL(name, tool) \
	{ name, NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, EVENT_TOOL_##tool }

const struct event_name event_names[] = {
	HW("branch-instructions", "branches", BRANCH_INSTRUCTIONS),
	HW("branch-misses", NULL, BRANCH_MISSES),
	HW("bus-cycles", NULL, BUS_CYCLES),
	HW("cache-misses", NULL, CACHE_MISSES),
	HW("cache-references", NULL, CACHE_REFERENCES),
	HW("cpu-cycles", "cycles", CPU_CYCLES),
	HW("instructions", NULL, INSTRUCTIONS),
	HW("ref-cycles", NULL, REF_CPU_CYCLES),
	HW("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND),
	HW("stalled-cycles-frontend", "idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	SW("alignment-faults", NULL, PERF_COUNT_SW_ALIGNMENT_FAULTS),
	SW("bpf-output", NULL, PERF_COUNT_SW_BPF_OUTPUT),
	/* Some kernel headers lack its name; its number is 11 since Linux 5.13. */
	SW("cgroup-switches", NULL, 11),
	SW("context-switches", "cs", PERF_COUNT_SW_CONTEXT_SWITCHES),
	SW("cpu-clock", NULL, PERF_COUNT_SW_CPU_CLOCK),
	SW("cpu-migrations", "migrations", PERF_COUNT_SW_CPU_MIGRATIONS),
	SW("dummy", NULL, PERF_COUNT_SW_DUMMY),
	SW("emulation-faults", NULL, PERF_COUNT_SW_EMULATION_FAULTS),
	SW("major-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MAJ),
	SW("minor-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MIN),
	SW("page-faults", "faults", PERF_COUNT_SW_PAGE_FAULTS),
	SW("task-clock", NULL, PERF_COUNT_SW_TASK_CLOCK),
	TOOL("duration_time", DURATION),
	TOOL("user_time", USER),
	TOOL("system_time", SYSTEM),
	{ .name = NULL },
};

const struct event_name *event_names_find(const char *word)
{
	for (const struct event_name *e = event_names; e->name; e++)
		if (!strcmp(e->name, word) || (e->alias && !strcmp(e->alias, word)))
			return e;
	return NULL;
}

enum event_tool event_names_tool(uint32_t type, uint64_t config, const char *text)
{
	size_t len = strcspn(text, ":");

	if (type != PERF_TYPE_SOFTWARE || config != PERF_COUNT_SW_DUMMY)
		return EVENT_TOOL_NONE;
	for (const struct event_name *e = event_names; e->name; e++)
		if (e->tool && strlen(e->name) == len && !strncmp(e->name, text, len))
			return e->tool;
	return EVENT_TOOL_NONE;
}

/* The spellings of one part of a cache event's name; the first one is shown. */
struct cache_word {
	const char *names[6];
};

/* In the order of enum perf_hw_cache_id, _op_id and _op_result_id. */
static const struct cache_word cache_types[] = {
	{ { "L1-dcache", "l1-d", "l1d", "L1-data" } },
	{ { "L1-icache", "l1-i", "l1i", "L1-instruction" } },
	{ { "LLC", "L2" } },
	{ { "dTLB", "d-tlb", "Data-TLB" } },
	{ { "iTLB", "i-tlb", "Instruction-TLB" } },
	{ { "branch", "branches", "bpu", "btb", "bpc" } },
	{ { "node" } },
};

static const struct cache_word cache_ops[] = {
	{ { "load", "loads", "read" } },
	{ { "store", "stores", "write" } },
	{ { "prefetch", "prefetches", "speculative-read", "speculative-load" } },
};

static const struct cache_word cache_results[] = {
	{ { "refs", "Reference", "ops", "access" } },
	{ { "misses", "miss" } },
};

/*
 * The valid operations of each type, as bits: instructions are never written, and branches
 * and instruction TLBs are only read.
 */
static const unsigned char cache_ops_valid[] = { 7, 5, 7, 7, 1, 1, 7 };

/* Find the longest spelling at the beginning of @word, up to a '-' or its end. */
static size_t match_word(const struct cache_word *list, size_t nr, const char *word,
			 size_t *ret_index)
{
	size_t best = 0;

	for (size_t i = 0; i < nr; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(list[i].names) && list[i].names[j]; j++) {
			size_t len = strlen(list[i].names[j]);

			if (len <= best || strncasecmp(word, list[i].names[j], len))
				continue;
			if (word[len] && word[len] != '-')
				continue;
			best = len;
			*ret_index = i;
		}
	}
	return best;
}

bool event_names_find_cache(const char *word, uint64_t *ret_config)
{
	size_t type, op = PERF_COUNT_HW_CACHE_OP_READ, result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	bool have_op = false, have_result = false;
	size_t len;

	len = match_word(cache_types, ARRAY_SIZE(cache_types), word, &type);
	if (!len)
		return false;
	for (word += len; *word; word += len) {
		if (*word++ != '-')
			return false;
		if (!have_op) {
			len = match_word(cache_ops, ARRAY_SIZE(cache_ops), word, &op);
			have_op = len;
			if (len)
				continue;
		}
		if (have_result)
			return false;
		len = match_word(cache_results, ARRAY_SIZE(cache_results), word, &result);
		have_result = len;
		if (!len)
			return false;
	}
	if (!(cache_ops_valid[type] & 1 << op))
		return false;
	*ret_config = type | op << 8 | result << 16;
	return true;
}

bool event_names_cache_at(size_t index, char *buf, size_t size)
{
	for (size_t type = 0; type < ARRAY_SIZE(cache_types); type++) {
		for (size_t op = 0; op < ARRAY_SIZE(cache_ops); op++) {
			if (!(cache_ops_valid[type] & 1 << op))
				continue;
			for (int miss = 0; miss < 2; miss++) {
				if (index--)
					continue;
				/* "L1-dcache-loads", "L1-dcache-load-misses" */
				snprintf(buf, size, "%s-%s%s", cache_types[type].names[0],
					 cache_ops[op].names[!miss], miss ? "-misses" : "");
				return true;
			}
		}
	}
	return false;
}
