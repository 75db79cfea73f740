// SPDX-License-Identifier: GPL-2.0
#include "counts/stat_counts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "record/body.h"

#define ANY_CPU		UINT32_MAX

/* The most places that are filled in for events without counts, more than any machine has. */
#define FILLED_MAX	(1U << 20)

void stat_counts_deinit(struct stat_counts *counts)
{
	free(counts->items);
	free(counts->pids);
	free(counts->comms);
	free(counts->cpus.items);
	hash_table_deinit(&counts->table);
	*counts = (struct stat_counts){ .items = NULL };
}

DEFINE_COMPARISON(compare, struct stat_counter, array_order(x->event->index, y->event->index) ?:
		  array_order(x->thread, y->thread) ?: array_order(x->cpu, y->cpu))

static uint64_t hash_counter(const struct event *event, uint32_t cpu, uint32_t thread)
{
	return hash_key_join(hash_key_number((uint64_t)thread << 32 | cpu), event->index);
}

static bool is_counter(const struct stat_counter *c, const struct event *event, uint32_t cpu,
		       uint32_t thread)
{
	return c->event == event && c->cpu == cpu && c->thread == thread;
}

/* Sort the counters; their positions change. */
static struct error *stat_counts_sort(struct stat_counts *counts)
{
	if (counts->sorted || !counts->nr)
		return NULL;
	array_sort(counts, compare);
	hash_table_deinit(&counts->table);
	counts->table = (struct hash_table){ .slots = NULL };
	for (size_t i = 0; i < counts->nr; i++) {
		const struct stat_counter *c = &counts->items[i];

		if (!hash_table_add(&counts->table, hash_counter(c->event, c->cpu, c->thread), i))
			return &error_no_memory;
	}
	counts->sorted = true;
	return NULL;
}

static struct stat_counter *stat_counts_find(struct stat_counts *counts, const struct event *event,
					     const struct body_stat *record)
{
	size_t at = counts->next < counts->nr ? counts->next : 0;

	if (at < counts->nr && is_counter(&counts->items[at], event, record->cpu, record->thread)) {
		counts->next = at + 1;
		return &counts->items[at];
	}
	hash_table_each(&counts->table, hash_counter(event, record->cpu, record->thread), found) {
		if (is_counter(&counts->items[found], event, record->cpu, record->thread)) {
			counts->next = found + 1;
			return &counts->items[found];
		}
	}
	return NULL;
}

static struct error *stat_counts_add(struct stat_counts *counts, struct stat_counter counter)
{
	counts->sorted = false;
	if (!hash_table_add(&counts->table,
			    hash_counter(counter.event, counter.cpu, counter.thread), counts->nr) ||
	    !array_push(counts, counter))
		return &error_no_memory;
	return NULL;
}

static struct error *take_count(struct stat_counts *counts, const struct session_record *r)
{
	const struct body_stat *record = body_of(r->record.header, struct body_stat);
	struct stat_count now;
	struct stat_counter *counter;

	if (!record || !r->event)
		return NULL;
	now = (struct stat_count){ record->value, record->enabled, record->running };
	counter = stat_counts_find(counts, r->event, record);
	if (!counter)
		return stat_counts_add(counts,
				       (struct stat_counter){ .event = r->event, .cpu = record->cpu,
							      .thread = record->thread,
							      .now = now });
	counter->now = now;
	return NULL;
}

static void take_config(struct stat_counts *counts, const struct perf_event_header *header)
{
	const struct body_stat_config *config = body_of(header, struct body_stat_config);
	size_t nr;

	if (!config)
		return;
	nr = body_items(header, config->items, config->nr, sizeof(config->items[0]));
	for (size_t i = 0; i < nr; i++) {
		uint64_t value = config->items[i].value;

		if (config->items[i].tag == BODY_STAT_CONFIG_AGGREGATION) {
			counts->by = value <= BODY_STAT_BY_NODE ? value : BODY_STAT_BY_NOTHING;
			counts->by_place = counts->by != BODY_STAT_BY_NOTHING;
		} else if (config->items[i].tag == BODY_STAT_CONFIG_INTERVAL) {
			counts->interval_ms = value;
		} else if (config->items[i].tag == BODY_STAT_CONFIG_SCALE) {
			counts->raw = !value;
		}
	}
}

static struct error *take_threads(struct stat_counts *counts,
				  const struct perf_event_header *header)
{
	const struct body_thread_map *map = body_of(header, struct body_thread_map);
	size_t nr;

	if (!map)
		return NULL;
	nr = body_items(header, map->items, map->nr, sizeof(map->items[0]));
	free(counts->pids);
	free(counts->comms);
	counts->nr_pids = 0;
	counts->pids = calloc(nr + 1, sizeof(*counts->pids));
	counts->comms = calloc(nr + 1, sizeof(*counts->comms));
	if (!counts->pids || !counts->comms)
		return &error_no_memory;
	for (size_t i = 0; i < nr; i++) {
		counts->pids[i] = (int64_t)map->items[i].pid;
		memcpy(counts->comms[i], map->items[i].comm, sizeof(counts->comms[i]) - 1);
	}
	counts->nr_pids = nr;
	return NULL;
}

static bool add_list(struct stat_counts *counts, const struct perf_event_header *header,
		     const struct body_cpu_map *map)
{
	size_t nr = body_items(header, map->list.cpus, map->list.nr, sizeof(map->list.cpus[0]));

	for (size_t i = 0; i < nr; i++) {
		uint16_t cpu = map->list.cpus[i];

		if (!array_push(&counts->cpus, cpu == UINT16_MAX ? ANY_CPU : cpu))
			return false;
	}
	return true;
}

static bool add_mask(struct stat_counts *counts, const struct perf_event_header *header,
		     const struct body_cpu_map *map)
{
	bool wide = map->mask.bytes == 8;
	const uint8_t *words = map->mask.words + (wide ? 2 : 0);
	size_t size = wide ? 8 : 4;
	size_t nr = body_items(header, words, map->mask.nr, size);

	for (size_t i = 0; i < nr * size * 8; i++) {
		uint64_t word = 0;

		memcpy(&word, words + i / (size * 8) * size, size);
		if (word >> i % (size * 8) & 1 && !array_push(&counts->cpus, i))
			return false;
	}
	return true;
}

static bool add_range(struct stat_counts *counts, const struct body_cpu_map *map)
{
	if (map->range.any && !array_push(&counts->cpus, ANY_CPU))
		return false;
	for (uint32_t cpu = map->range.first; cpu <= map->range.last; cpu++)
		if (!array_push(&counts->cpus, cpu))
			return false;
	return true;
}

static struct error *take_cpus(struct stat_counts *counts, const struct perf_event_header *header)
{
	const struct body_cpu_map *map = body_of(header, struct body_cpu_map);
	bool ok = true;

	if (!map)
		return NULL;
	counts->cpus.nr = 0;
	switch (map->type) {
	case BODY_CPU_MAP_LIST:
		ok = add_list(counts, header, map);
		break;
	case BODY_CPU_MAP_MASK:
		ok = add_mask(counts, header, map);
		break;
	case BODY_CPU_MAP_RANGE:
		ok = add_range(counts, map);
		break;
	}
	return ok ? NULL : &error_no_memory;
}

static bool has_counters(const struct stat_counts *counts, const struct event *event)
{
	return array_any(counts, it, it->event == event);
}

/* Fill in zeros: perf stat writes no record for an event that the machine cannot count. */
static struct error *fill(struct stat_counts *counts, const struct event_list *events)
{
	size_t nr_threads = counts->nr_pids ? counts->nr_pids : 1;
	size_t nr_cpus = counts->cpus.nr ? counts->cpus.nr : 1;
	struct error *err = NULL;

	for (size_t e = 0; e < events->nr && !err; e++) {
		const struct event *event = events->items[e];

		if (has_counters(counts, event) ||
		    counts->nr + nr_threads * nr_cpus > FILLED_MAX)
			continue;
		for (size_t i = 0; i < nr_threads * nr_cpus && !err; i++)
			err = stat_counts_add(counts, (struct stat_counter){
				.event = event, .thread = i / nr_cpus,
				.cpu = counts->cpus.nr ? counts->cpus.items[i % nr_cpus] : ANY_CPU,
			});
	}
	return err;
}

static struct error *end_round(struct stat_counts *counts, const struct session_record *r,
			       bool *ret_round, uint64_t *ret_time)
{
	const struct body_stat_round *round = body_of(r->record.header, struct body_stat_round);
	struct error *err;

	if (!round)
		return NULL;
	err = fill(counts, r->events);
	if (err)
		return err;
	err = stat_counts_sort(counts);
	if (err)
		return err;
	*ret_round = true;
	*ret_time = round->time;
	return NULL;
}

struct error *stat_counts_apply(struct stat_counts *counts, const struct session_record *r,
				bool *ret_round, uint64_t *ret_time)
{
	*ret_round = false;
	switch (r->record.header->type) {
	case RECORD_STAT_CONFIG:
		take_config(counts, r->record.header);
		return NULL;
	case RECORD_THREAD_MAP:
		return take_threads(counts, r->record.header);
	case RECORD_CPU_MAP:
		return take_cpus(counts, r->record.header);
	case RECORD_STAT:
		return take_count(counts, r);
	case RECORD_STAT_ROUND:
		return end_round(counts, r, ret_round, ret_time);
	default:
		return NULL;
	}
}

void stat_counts_begin_round(struct stat_counts *counts)
{
	for (size_t i = 0; i < counts->nr; i++)
		counts->items[i].before = counts->items[i].now;
}

struct stat_count stat_counts_difference(const struct stat_counter *counter)
{
	return (struct stat_count){
		counter->now.value - counter->before.value,
		counter->now.enabled - counter->before.enabled,
		counter->now.running - counter->before.running,
	};
}

struct stat_count stat_counts_scale(struct stat_count count)
{
	if (!count.running)
		count.value = 0;
	else if (count.running < count.enabled)
		count.value = (uint64_t)((double)count.value * count.enabled / count.running + 0.5);
	return count;
}

int64_t stat_counts_pid(const struct stat_counts *counts, const struct stat_counter *counter)
{
	return counter->thread < counts->nr_pids ? counts->pids[counter->thread] : -1;
}
