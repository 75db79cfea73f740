// SPDX-License-Identifier: GPL-2.0
#include "table/c2c/cache_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "record/registers.h"

/* Lines with a smaller share of the accesses are not shown. */
#define SHARE_SHOWN	0.001

const struct cache_line_options cache_line_defaults = {
	.keys = { .items = { ACCESS_BY_CODE }, .nr = 1 }, .size = 64, .sources = true,
};

struct cache_line_index {
	const struct header *header;
	ARRAY_OF(struct cache_line *) lines;	/* owned */
	ARRAY_OF(struct line_access *) accesses;	/* owned */
	struct hash_table lines_by_key, accesses_by_key;
};

static bool number_set_add(struct number_set *set, unsigned int number)
{
	while (set->nr <= number / 64)
		if (!array_push(set, 0))
			return false;
	set->items[number / 64] |= 1ULL << number % 64;
	return true;
}

bool number_set_has(const struct number_set *set, unsigned int number)
{
	return number / 64 < set->nr && set->items[number / 64] >> number % 64 & 1;
}

unsigned int number_set_count(const struct number_set *set)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < set->nr; i++)
		nr += __builtin_popcountll(set->items[i]);
	return nr;
}

void number_set_text(const struct number_set *set, struct strbuf *out)
{
	const char *comma = "";

	for (unsigned int first = 0; first < set->nr * 64; first++) {
		unsigned int last = first;

		if (!number_set_has(set, first))
			continue;
		while (number_set_has(set, last + 1))
			last++;
		strbuf_addf(out, last > first ? "%s%u-%u" : "%s%u", comma, first, last);
		comma = ",";
		first = last;
	}
}

struct error *cache_lines_check(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->items[i]->attr.sample_type & PERF_SAMPLE_DATA_SRC)
			return NULL;
	return error_hint(error_new(ENODATA, "The recording has no samples of memory accesses with "
				    "their data source"),
			  "'ktrace c2c record' records them where the processor samples accesses");
}

int32_t cache_lines_node(const struct cache_lines *lines, unsigned int cpu)
{
	const struct header *header = lines->index->header;

	return header && cpu < header->cpu_nodes.nr ? header->cpu_nodes.items[cpu] : -1;
}

static int64_t cache_lines_memory_node(const struct cache_lines *lines, uint64_t physical)
{
	const struct header *header = lines->index->header;
	const struct header_memory *memory = header ?
		array_find(&header->memory, it, physical >= it->start && physical < it->end) : NULL;

	return memory ? (int64_t)memory->node : -1;
}

/* The address by which perf finds equal lines: processes have files at different addresses. */
static uint64_t cache_line_place(const struct place *data)
{
	return data->map ? map_address(data->map, data->ip) : data->ip;
}

static struct cache_line cache_line_key(const struct cache_lines *lines,
					const struct session_record *r, const struct place *data)
{
	struct cache_line key = {
		.address = data->ip & ~(lines->options.size - 1ULL),
		.place = cache_line_place(data) & ~(lines->options.size - 1ULL),
		.mode = r->sample.cpumode,
		.mapped = data->map,
	};

	if (!data->map)
		return key;
	key.device = data->map->dso->numbers.device;
	key.inode = data->map->dso->numbers.inode;
	/* Memory without a file is private, unless it was mapped as shared. */
	if (key.mode != PERF_RECORD_MISC_KERNEL && !(data->map->flags & MAP_SHARED) &&
	    !key.device && !key.inode)
		key.pid = r->sample.pid;
	return key;
}

static bool cache_line_is(const struct cache_line *a, const struct cache_line *b)
{
	return a->place == b->place && a->mode == b->mode && a->mapped == b->mapped &&
	       a->device == b->device && a->inode == b->inode && a->pid == b->pid;
}

static struct cache_line *cache_line_get(struct cache_lines *lines, const struct cache_line *key)
{
	struct cache_line_index *index = lines->index;
	uint64_t hash = hash_key_join(hash_key_join(hash_key_number(key->place), key->inode),
				      (uint64_t)(uint32_t)key->pid << 8 | key->mode);
	struct cache_line *line;

	hash_table_each(&index->lines_by_key, hash, n)
		if (cache_line_is(index->lines.items[n], key))
			return index->lines.items[n];
	line = malloc(sizeof(*line));
	if (!line)
		return NULL;
	*line = *key;
	if (!array_push(&index->lines, line)) {
		free(line);
		return NULL;
	}
	return hash_table_add(&index->lines_by_key, hash, index->lines.nr - 1) ? line : NULL;
}

static const char *access_dso_name(const struct place *code)
{
	return code->map ? code->map->dso->short_name : "[unknown]";
}

/* Compare by one key; the order is perf's order of accesses with equal counts. */
static int access_compare_key(const struct line_access *a, const struct line_access *b,
			      enum access_key key)
{
	switch (key) {
	case ACCESS_BY_CODE:
		return array_order(a->code, b->code);
	case ACCESS_BY_PID:
		return array_order(b->pid, a->pid);
	case ACCESS_BY_TID:
		return array_order(a->tid, b->tid);
	case ACCESS_BY_DSO:
		return array_order(b->mapped, a->mapped) ?: strcmp(a->dso, b->dso);
	}
	return 0;
}

static int access_compare_keys(const struct cache_line_options *options,
			       const struct line_access *a, const struct line_access *b)
{
	int order = 0;

	for (size_t i = 0; i < options->keys.nr && !order; i++)
		order = access_compare_key(a, b, options->keys.items[i]);
	return order;
}

static uint64_t access_hash(const struct cache_line_options *options, const struct line_access *key)
{
	uint64_t hash = hash_key_join(hash_key_number((uintptr_t)key->line), key->offset);

	for (size_t i = 0; i < options->keys.nr; i++) {
		switch (options->keys.items[i]) {
		case ACCESS_BY_CODE:
			hash = hash_key_join(hash, key->code);
			break;
		case ACCESS_BY_PID:
			hash = hash_key_join(hash, (uint32_t)key->pid);
			break;
		case ACCESS_BY_TID:
			hash = hash_key_join(hash, (uint32_t)key->tid);
			break;
		case ACCESS_BY_DSO:
			hash = hash_key_join(hash, hash_key_text(key->dso));
			break;
		}
	}
	return hash;
}

static void line_access_free(struct line_access *access)
{
	free(access->comm);
	free(access->symbol);
	free(access->source);
	free(access->dso);
	free(access->sum.cpus.items);
	free(access->sum.nodes.items);
	free(access->by_node.items);
	free(access);
}

static char *access_source(const struct place *code)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	place_add_source(code, false, &text);
	return text.failed ? NULL : strdup(strbuf_str(&text));
}

static struct line_access *line_access_new(const struct cache_lines *lines,
					   const struct line_access *key,
					   const struct session_record *r, const struct place *code)
{
	struct line_access *access = malloc(sizeof(*access));

	if (!access)
		return NULL;
	*access = *key;
	access->comm = strdup(r->comm ? r->comm : "");
	access->dso = strdup(key->dso);
	access->symbol = code->symbol ? strdup(code->symbol->name) : NULL;
	access->source = lines->options.sources ? access_source(code) : strdup("");
	if (!access->comm || !access->dso || !access->source ||
	    (code->symbol && !access->symbol)) {
		line_access_free(access);
		return NULL;
	}
	return access;
}

static struct line_access *line_access_get(struct cache_lines *lines, struct cache_line *line,
					   const struct session_record *r, const struct place *code,
					   const struct place *data)
{
	struct cache_line_index *index = lines->index;
	const struct line_access key = {
		.line = line, .offset = data->ip & (lines->options.size - 1),
		.code = r->sample.ip, .pid = r->sample.pid, .tid = r->sample.tid,
		.code_address = code->map ? map_address(code->map, code->ip) : code->ip,
		.mode = r->sample.cpumode, .mapped = code->map,
		.dso = (char *)access_dso_name(code),
	};
	uint64_t hash = access_hash(&lines->options, &key);
	struct line_access *access;

	hash_table_each(&index->accesses_by_key, hash, n) {
		access = index->accesses.items[n];
		if (access->line == line && access->offset == key.offset &&
		    !access_compare_keys(&lines->options, access, &key))
			return access;
	}
	access = line_access_new(lines, &key, r, code);
	if (!access)
		return NULL;
	if (!array_push(&index->accesses, access)) {
		line_access_free(access);
		return NULL;
	}
	if (!hash_table_add(&index->accesses_by_key, hash, index->accesses.nr - 1))
		return NULL;
	return access;
}

static bool access_sum_add(const struct cache_lines *lines, struct access_sum *sum,
			   const struct access_counts *one, const struct sample *sample)
{
	int64_t node = cache_lines_memory_node(lines, sample->phys_addr);

	access_counts_join(&sum->counts, one);
	if (sample->cpu >= 0 && sample->cpu < HEADER_CPUS_MAX &&
	    !number_set_add(&sum->cpus, sample->cpu))
		return false;
	if (!sample->phys_addr)
		return true;
	if (sum->physical != sample->phys_addr)
		sum->moves++;
	sum->physical = sample->phys_addr;
	return node < 0 || number_set_add(&sum->nodes, node);
}

/* The mean is continued as perf does, so that both round it alike. */
static void access_add_latency(struct line_access *access, const struct access_counts *one,
			       uint64_t weight)
{
	static const enum access_count counts[ACCESS_LATENCIES] = {
		[LATENCY_REMOTE_HITM] = ACCESS_REMOTE_HITM,
		[LATENCY_LOCAL_HITM] = ACCESS_LOCAL_HITM,
		[LATENCY_REMOTE_PEER] = ACCESS_REMOTE_PEER,
		[LATENCY_LOCAL_PEER] = ACCESS_LOCAL_PEER, [LATENCY_LOAD] = ACCESS_LOADS,
	};

	for (size_t i = 0; i < ACCESS_LATENCIES; i++) {
		if (!one->items[counts[i]])
			continue;
		access->latencies[i].nr++;
		access->latencies[i].mean += (weight - access->latencies[i].mean) /
					     access->latencies[i].nr;
		return;
	}
}

static bool access_add_node(struct line_access *access, int32_t node,
			    const struct access_counts *one)
{
	if (node < 0)
		return true;
	while (access->by_node.nr <= (size_t)node)
		if (!array_push(&access->by_node, (struct access_counts){ 0 }))
			return false;
	access_counts_join(&access->by_node.items[node], one);
	return true;
}

/* The code of an access may be in user space or in the kernel: both maps are searched. */
static void access_find_code(const struct session_record *r, struct place *ret)
{
	const uint8_t modes[] = {
		r->sample.cpumode, PERF_RECORD_MISC_USER, PERF_RECORD_MISC_KERNEL,
	};

	for (size_t i = 0; i < ARRAY_SIZE(modes) && r->machine && !ret->map; i++)
		machine_find(r->machine, r->maps, modes[i], r->sample.ip, ret);
}

static struct error *cache_lines_sample(struct session_consumer *consumer,
					const struct session_record *r)
{
	struct cache_lines *lines = container_of(consumer, struct cache_lines, consumer);
	bool has_source = r->event->attr.sample_type & PERF_SAMPLE_DATA_SRC;
	struct place code = { .ip = r->sample.ip }, data = { .ip = r->sample.addr };
	struct access_counts one = { 0 };
	struct line_access *access;
	struct cache_line key, *line;

	access_find_code(r, &code);
	if (r->machine)
		machine_find(r->machine, r->maps, r->sample.cpumode, r->sample.addr, &data);
	access_counts_add(&one, has_source ? r->sample.data_src : DATA_SRC_NONE, r->sample.addr,
			  code.map && data.map);
	access_counts_join(&lines->totals, &one);
	key = cache_line_key(lines, r, &data);
	line = cache_line_get(lines, &key);
	access = line ? line_access_get(lines, line, r, &code, &data) : NULL;
	if (!access || !access_sum_add(lines, &line->sum, &one, &r->sample) ||
	    !access_sum_add(lines, &access->sum, &one, &r->sample) ||
	    !access_add_node(access, cache_lines_node(lines, r->sample.cpu), &one))
		return &error_no_memory;
	access_add_latency(access, &one, r->sample.weight);
	return NULL;
}

struct error *cache_lines_create(const struct cache_line_options *options,
				 const struct header *header, struct cache_lines **ret)
{
	struct cache_lines *lines = calloc(1, sizeof(*lines));

	if (lines)
		lines->index = calloc(1, sizeof(*lines->index));
	if (!lines || !lines->index) {
		free(lines);
		return &error_no_memory;
	}
	lines->options = *options;
	lines->index->header = header;
	lines->consumer = (struct session_consumer){ .sample = cache_lines_sample };
	*ret = lines;
	return NULL;
}

void cache_lines_destroy(struct cache_lines *lines)
{
	struct cache_line_index *index;

	if (!lines)
		return;
	index = lines->index;
	for (size_t i = 0; i < index->lines.nr; i++) {
		free(index->lines.items[i]->sum.cpus.items);
		free(index->lines.items[i]->sum.nodes.items);
		free(index->lines.items[i]);
	}
	for (size_t i = 0; i < index->accesses.nr; i++)
		line_access_free(index->accesses.items[i]);
	free(index->lines.items);
	free(index->accesses.items);
	hash_table_deinit(&index->lines_by_key);
	hash_table_deinit(&index->accesses_by_key);
	free(index);
	free(lines->shown.items);
	free(lines->accesses.items);
	free(lines);
}

enum access_count line_display_count(enum line_display display)
{
	return display == LINES_BY_LOCAL ? ACCESS_LOCAL_HITM :
	       display == LINES_BY_REMOTE ? ACCESS_REMOTE_HITM :
	       display == LINES_BY_PEER ? ACCESS_PEER : ACCESS_HITM;
}

bool line_access_is_shown(const struct cache_lines *lines, const struct line_access *access)
{
	return access->sum.counts.items[ACCESS_STORES] ||
	       access_count(&access->sum.counts, line_display_count(lines->options.display));
}

/* Lines with equal counts are in the order of perf. */
static int cache_line_compare(const void *x, const void *y, void *data)
{
	const struct cache_line *a = *(struct cache_line *const *)x;
	const struct cache_line *b = *(struct cache_line *const *)y;
	const struct cache_lines *lines = data;
	enum access_count count = line_display_count(lines->options.display);

	return array_descending(access_count(&a->sum.counts, count),
				access_count(&b->sum.counts, count)) ?:
	       array_order(a->mode, b->mode) ?: array_order(b->mapped, a->mapped) ?:
	       array_order(a->device, b->device) ?: array_order(a->inode, b->inode) ?:
	       array_order(a->pid, b->pid) ?: array_order(a->place, b->place);
}

static int line_access_compare(const void *x, const void *y, void *data)
{
	const struct line_access *a = *(struct line_access *const *)x;
	const struct line_access *b = *(struct line_access *const *)y;
	const struct cache_lines *lines = data;
	enum line_display display = lines->options.display;
	enum access_count count = line_display_count(display);
	enum access_count second = display == LINES_BY_LOCAL ? ACCESS_REMOTE_HITM :
				   display == LINES_BY_REMOTE ? ACCESS_LOCAL_HITM : count;

	return array_order(a->line->number, b->line->number) ?:
	       array_order(a->offset, b->offset) ?:
	       array_descending(access_count(&a->sum.counts, count),
				access_count(&b->sum.counts, count)) ?:
	       array_descending(access_count(&a->sum.counts, second),
				access_count(&b->sum.counts, second)) ?:
	       access_compare_keys(&lines->options, a, b);
}

static bool cache_line_is_shown(const struct cache_lines *lines, const struct cache_line *line)
{
	enum access_count count = line_display_count(lines->options.display);
	uint64_t whole = access_count(&lines->shared, count);

	return lines->options.show_all ||
	       (whole && (double)access_count(&line->sum.counts, count) / whole >= SHARE_SHOWN);
}

static struct error *cache_lines_choose(struct cache_lines *lines)
{
	struct cache_line_index *index = lines->index;

	for (size_t i = 0; i < index->lines.nr; i++) {
		const struct access_counts *counts = &index->lines.items[i]->sum.counts;

		if (!access_count(counts, ACCESS_HITM) && !access_count(counts, ACCESS_PEER))
			continue;
		access_counts_join(&lines->shared, counts);
		lines->nr_shared++;
	}
	for (size_t i = 0; i < index->lines.nr; i++) {
		struct cache_line *line = index->lines.items[i];

		line->number = SIZE_MAX;
		if (cache_line_is_shown(lines, line) && !array_push(&lines->shown, line))
			return &error_no_memory;
	}
	return NULL;
}

struct error *cache_lines_sort(struct cache_lines *lines)
{
	struct cache_line_index *index = lines->index;
	const char *arch = index->header ? index->header->arch : NULL;
	struct error *err;

	if (lines->options.display == LINES_BY_MACHINE)
		lines->options.display = arch && (!strcmp(arch, "arm64") ||
						  !strcmp(arch, "aarch64")) ?
					 LINES_BY_PEER : LINES_BY_TOTAL;
	err = cache_lines_choose(lines);
	if (err)
		return err;
	if (lines->shown.nr)
		qsort_r(lines->shown.items, lines->shown.nr, sizeof(*lines->shown.items),
			cache_line_compare, lines);
	for (size_t i = 0; i < lines->shown.nr; i++)
		lines->shown.items[i]->number = i;
	for (size_t i = 0; i < index->accesses.nr; i++)
		if (index->accesses.items[i]->line->number != SIZE_MAX &&
		    !array_push(&lines->accesses, index->accesses.items[i]))
			return &error_no_memory;
	if (lines->accesses.nr)
		qsort_r(lines->accesses.items, lines->accesses.nr, sizeof(*lines->accesses.items),
			line_access_compare, lines);
	for (size_t i = 0; i < lines->accesses.nr; i++) {
		struct cache_line *line = lines->accesses.items[i]->line;

		line->first = line->nr++ ? line->first : i;
	}
	return NULL;
}
