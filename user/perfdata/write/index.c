// SPDX-License-Identifier: GPL-2.0
#include "perfdata/write/index.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/file.h"
#include "lib/hash.h"
#include "record/record.h"

/* A larger index does not pay: the recording gets none. */
#define INDEX_BYTES_MAX		(512ULL * 1024 * 1024)

#define IDENTITY_BYTES		4096

void index_deinit(struct index *index)
{
	if (index->entries.alloc)
		free(index->entries.items);
	free(index->stored);
	strbuf_deinit(&index->state);
	*index = (struct index){ 0 };
}

static uint64_t bit_of(uint32_t number)
{
	return number == UINT32_MAX ? UINT64_MAX : 1ULL << number % 64;
}

void index_add_samples(struct index *index, uint64_t samples, uint64_t first, uint64_t last,
		       uint32_t cpu, uint32_t event)
{
	struct perfdata_index_entry *open = &index->open;

	/* Samples without a time cannot be put in order by time. */
	if (!first)
		index->failed = true;
	if (!open->samples || first < open->first_time)
		open->first_time = first;
	if (last > open->last_time)
		open->last_time = last;
	open->cpus |= bit_of(cpu);
	open->events |= bit_of(event);
	open->samples += samples;
}

void index_add_state(struct index *index, uint64_t offset, uint64_t time,
		     const struct perf_event_header *header)
{
	const struct perfdata_index_state row = { offset, time == UINT64_MAX ? 0 : time };
	static const char zeros[8];

	if (index->failed || header->type == RECORD_FINISHED_ROUND)
		return;
	strbuf_add(&index->state, &row, sizeof(row));
	strbuf_add(&index->state, header, header->size);
	strbuf_add(&index->state, zeros, -header->size & 7);
	if (index->state.failed || index->state.len > INDEX_BYTES_MAX)
		index->failed = true;
}

void index_close_entry(struct index *index, uint64_t offset, uint64_t end)
{
	struct perfdata_index_entry entry = index->open;

	index->open = (struct perfdata_index_entry){ 0 };
	if (index->failed || !entry.samples)
		return;
	entry.offset = offset;
	entry.size = end - offset;
	if (!array_push(&index->entries, entry) ||
	    index->entries.nr * sizeof(entry) > INDEX_BYTES_MAX)
		index->failed = true;
}

void index_build(const struct index *index, struct strbuf *ret)
{
	const struct perfdata_index header = {
		.version = PERFDATA_INDEX_VERSION,
		.entry_size = sizeof(struct perfdata_index_entry),
		.nr_entries = index->entries.nr,
		.state_bytes = index->state.len,
	};

	if (index->failed || !index->entries.nr)
		return;
	strbuf_add(ret, &header, sizeof(header));
	strbuf_add(ret, index->entries.items, index->entries.nr * sizeof(*index->entries.items));
	strbuf_add(ret, strbuf_str(&index->state), index->state.len);
}

static bool entries_are_sound(const struct index *index, uint64_t data_start, uint64_t data_end)
{
	uint64_t at = data_start;

	for (size_t i = 0; i < index->entries.nr; i++) {
		const struct perfdata_index_entry *entry = &index->entries.items[i];

		if (entry->offset < at || entry->offset > data_end ||
		    entry->size > data_end - entry->offset || !entry->size ||
		    entry->first_time > entry->last_time)
			return false;
		at = entry->offset + entry->size;
	}
	return true;
}

bool index_next_state(const struct index *index, size_t *at, struct perfdata_index_state *row,
		      const struct perf_event_header **ret)
{
	const struct strbuf *state = &index->state;
	size_t left = state->len - *at;
	const struct perf_event_header *header;

	if (left < sizeof(*row) + sizeof(*header))
		return false;
	memcpy(row, state->data + *at, sizeof(*row));
	header = (const void *)(state->data + *at + sizeof(*row));
	if (header->size < sizeof(*header) ||
	    left < sizeof(*row) + ((header->size + 7u) & ~7u))
		return false;
	*ret = header;
	*at += sizeof(*row) + ((header->size + 7u) & ~7u);
	return true;
}

static bool state_is_sound(const struct index *index)
{
	const struct perf_event_header *header;
	struct perfdata_index_state row;
	size_t at = 0;

	while (index_next_state(index, &at, &row, &header))
		;
	return at == index->state.len;
}

bool index_parse(struct index *index, char **stored, size_t at, size_t size,
		 uint64_t data_start, uint64_t data_end)
{
	struct perfdata_index header;
	char *p = *stored + at;

	*index = (struct index){ 0 };
	if (size < at + sizeof(header))
		return false;
	memcpy(&header, p, sizeof(header));
	p += sizeof(header);
	size -= at + sizeof(header);
	if (header.version != PERFDATA_INDEX_VERSION ||
	    header.entry_size != sizeof(struct perfdata_index_entry) ||
	    header.nr_entries > size / header.entry_size ||
	    header.state_bytes > size - header.nr_entries * header.entry_size)
		return false;
	index->entries.items = (void *)p;
	index->entries.nr = header.nr_entries;
	strbuf_add(&index->state, p + header.nr_entries * header.entry_size, header.state_bytes);
	if (!index->state.failed && entries_are_sound(index, data_start, data_end) &&
	    state_is_sound(index)) {
		index->stored = take_ptr(*stored);
		return true;
	}
	index_deinit(index);
	return false;
}

/* The hash is to detect another file, not to withstand an attacker. */
struct error *index_identify(int fd, const struct stat *st, struct perfdata_index_file *ret)
{
	unsigned char bytes[IDENTITY_BYTES];
	uint64_t size = st->st_size, identity = HASH_INIT;
	ssize_t n;

	n = fd_pread_all(fd, bytes, sizeof(bytes), 0);
	if (n >= 0) {
		identity = hash_bytes(identity, bytes, n);
		n = fd_pread_all(fd, bytes, sizeof(bytes),
				 size > sizeof(bytes) ? size - sizeof(bytes) : 0);
	}
	if (n < 0)
		return error_errno(-n, "Cannot read the recording");
	*ret = (struct perfdata_index_file){
		.magic = PERFDATA_INDEX_MAGIC,
		.file_size = size,
		.mtime = st->st_mtim.tv_sec * 1000000000ULL + st->st_mtim.tv_nsec,
		.identity = hash_bytes(identity, bytes, n),
	};
	return NULL;
}

static uint64_t scope_cpus(const struct record_scope *scope)
{
	uint64_t cpus = 0;

	if (!scope || !scope->cpus)
		return UINT64_MAX;
	for (size_t i = 0; i < scope->cpus->nr; i++)
		cpus |= bit_of(scope->cpus->cpus[i]);
	return cpus;
}

/* @cpus is scope_cpus(@scope), computed once for all extents. */
static bool is_wanted_extent(const struct perfdata_index_entry *entry,
			     const struct record_scope *scope, uint64_t cpus)
{
	size_t from = 0;

	if (!scope)
		return true;
	if (!(entry->events & scope->events) || (scope->cpus && !(entry->cpus & cpus)))
		return false;
	if (scope->times_ordered)
		from = time_ranges_skip(scope->times, scope->nr_times, entry->first_time);
	for (size_t i = from; i < scope->nr_times; i++) {
		const struct time_range *range = &scope->times[i];

		if (entry->last_time >= range->start &&
		    (!range->end || entry->first_time <= range->end))
			return true;
		if (scope->times_ordered)
			break;
	}
	return !scope->nr_times;
}

DEFINE_COMPARISON(compare_steps, struct index_step, array_order(x->time, y->time) ?:
		  array_order(x->offset, y->offset))

DEFINE_COMPARISON(compare_offsets, struct index_step, array_order(x->offset, y->offset))

static struct error *add_state(const struct index *index, uint64_t offset,
			       struct index_plan *plan)
{
	const struct perf_event_header *header;
	struct perfdata_index_state row;
	size_t at = 0;

	while (index_next_state(index, &at, &row, &header)) {
		struct index_step step = {
			.time = row.time, .offset = row.offset, .state = header,
		};

		if (row.offset >= offset && !array_push(plan, step))
			return &error_no_memory;
	}
	return NULL;
}

static struct error *add_stretches(const struct index *index, const struct record_scope *scope,
				   const bool *whole, uint64_t offset, struct index_plan *plan)
{
	uint64_t cpus = scope_cpus(scope);

	for (size_t i = 0; i < index->entries.nr; i++) {
		const struct perfdata_index_entry *entry = &index->entries.items[i];
		struct index_step step;

		if (entry->offset < offset ||
		    (!(whole && whole[i]) && !is_wanted_extent(entry, scope, cpus)))
			continue;
		step = (struct index_step){
			.time = entry->first_time, .last = entry->last_time,
			.offset = entry->offset, .size = entry->size,
			.whole = whole && whole[i],
		};
		if (!array_push(plan, step))
			return &error_no_memory;
	}
	return NULL;
}

/* Records without a time come before everything behind them in the file. */
static void place_untimed(struct index_plan *plan)
{
	uint64_t earliest = UINT64_MAX;

	array_sort(plan, compare_offsets);
	for (size_t i = plan->nr; i-- > 0; ) {
		struct index_step *step = &plan->items[i];

		if (step->state && !step->time)
			step->time = earliest;
		else if (step->time < earliest)
			earliest = step->time;
	}
}

struct error *index_plan(const struct index *index, const struct record_scope *scope,
			 const bool *whole, uint64_t offset, struct index_plan *ret)
{
	struct error *err;

	ret->nr = 0;
	err = scope && scope->samples_only ? NULL : add_state(index, offset, ret);
	if (!err)
		err = add_stretches(index, scope, whole, offset, ret);
	if (err || !ret->nr)
		return err;
	place_untimed(ret);
	array_sort(ret, compare_steps);
	return NULL;
}
