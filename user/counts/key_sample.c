// SPDX-License-Identifier: GPL-2.0
#include "counts/key_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "record/common_number.h"

struct key_start {
	char pair[COUNT_MAX_PAIR];
	uint64_t time;
	bool open;
};

/* ---- keys -------------------------------------------------------------------------- */

static bool key_part_is_known(const struct count_part *part)
{
	const struct common_field_info *common = part->source.common;

	return !common || common->number == COMMON_FIELD_CPU ||
	       common->number == COMMON_FIELD_TGID || common->number == COMMON_FIELD_TID ||
	       common->number == COMMON_FIELD_COMM;
}

const char *key_sample_missing(const struct count_keys *keys)
{
	for (size_t i = 0; i < keys->nr; i++)
		if (!key_part_is_known(&keys->parts[i]))
			return keys->parts[i].source.common->name;
	return !keys->has_value || key_part_is_known(&keys->value) ? NULL :
	       keys->value.source.common->name;
}

static uint64_t key_number(const struct count_part *part, const struct session_record *r,
			   uint64_t latency)
{
	const struct count_source *source = &part->source;

	if (source->field)
		return field_u64(source->field, r->sample.raw, r->sample.raw_size);
	if (!source->common)
		return latency;
	switch (source->common->number) {
	case COMMON_FIELD_CPU:
		return r->sample.cpu;
	case COMMON_FIELD_TGID:
		return r->sample.pid;
	default:
		return r->sample.tid;
	}
}

static uint64_t key_step(const struct count_part *part, uint64_t number)
{
	if (part->is_signed && (int64_t)number < 0)
		return COUNT_STEP_NEGATIVE;
	return number ? 64 - __builtin_clzll(number) : 0;
}

static void key_put_text(const struct count_part *part, const struct session_record *r, char *to)
{
	const void *bytes = NULL;
	char idle[32];
	size_t len = 0;

	if (part->source.field) {
		bytes = field_bytes(part->source.field, r->sample.raw, r->sample.raw_size, &len);
	} else if (!r->sample.tid) {
		/* The idle task of each CPU has its own name, which no record contains. */
		len = snprintf(idle, sizeof(idle), "swapper/%d", r->sample.cpu);
		bytes = idle;
	} else if (r->comm) {
		bytes = r->comm;
		len = strlen(r->comm);
	}
	len = bytes ? strnlen(bytes, len) : 0;
	memset(to, 0, part->size);
	if (len)
		memcpy(to, bytes, len < part->size ? len : part->size);
}

static void key_put_part(const struct count_part *part, const struct session_record *r,
			 uint64_t latency, char *key)
{
	uint64_t number;

	if (part->is_text) {
		key_put_text(part, r, key + part->offset);
		return;
	}
	number = key_number(part, r, latency);
	if (part->is_step)
		number = key_step(part, number);
	memcpy(key + part->offset, &number, sizeof(number));
}

struct error *key_sample_count(struct key_counts *counts, const struct session_record *r,
			       uint64_t latency, bool *ret_counted)
{
	const struct count_keys *keys = counts->keys;
	char key[COUNT_MAX_KEY];
	struct key_row row = { .key = key, .count = 1 };

	for (size_t i = keys->nr_pair; i < keys->nr; i++)
		key_put_part(&keys->parts[i], r, latency, key);
	*ret_counted = counts->rows.nr < keys->entries || key_counts_has(counts, key);
	if (!*ret_counted)
		return NULL;
	if (keys->has_value)
		row.sum = row.min = row.max = key_number(&keys->value, r, latency);
	return key_counts_add(counts, &row);
}

/* ---- starts ------------------------------------------------------------------------ */

uint64_t key_sample_pair(const struct count_keys *keys, const struct session_record *r, char *pair)
{
	for (size_t i = 0; i < keys->nr_pair; i++)
		key_put_part(&keys->parts[i], r, 0, pair);
	return hash_key_bytes(pair, keys->pair_bytes);
}

static struct key_start *key_starts_find(struct key_starts *starts, uint64_t hash,
					 const char *pair, size_t size)
{
	hash_table_each(&starts->table, hash, position) {
		struct key_start *start = &starts->starts.items[position];

		if (!memcmp(start->pair, pair, size))
			return start;
	}
	return NULL;
}

/*
 * Remove the starts with an end when they are the majority; until then they are kept, because most
 * pairs repeat.
 */
static struct error *key_starts_clean(struct key_starts *starts, const struct count_keys *keys)
{
	uint64_t hash;
	size_t nr = 0;

	if (starts->starts.nr < 2 * (size_t)keys->entries)
		return NULL;
	hash_table_deinit(&starts->table);
	starts->table = (struct hash_table){ 0 };
	for (size_t i = 0; i < starts->starts.nr; i++) {
		struct key_start *start = &starts->starts.items[i];

		if (!start->open)
			continue;
		starts->starts.items[nr] = *start;
		hash = hash_key_bytes(start->pair, keys->pair_bytes);
		if (!hash_table_add(&starts->table, hash, nr++))
			return &error_no_memory;
	}
	starts->starts.nr = nr;
	return NULL;
}

struct error *key_starts_put(struct key_starts *starts, const struct count_keys *keys,
			     const struct session_record *r, bool *ret_again, bool *ret_room)
{
	struct key_start own = { .time = r->sample.time, .open = true }, *known;
	uint64_t hash = key_sample_pair(keys, r, own.pair);
	struct error *err;

	known = key_starts_find(starts, hash, own.pair, keys->pair_bytes);
	*ret_again = known && known->open;
	*ret_room = *ret_again || starts->open < keys->entries;
	if (!*ret_room)
		return NULL;
	starts->open += !*ret_again;
	if (known) {
		*known = own;
		return NULL;
	}
	err = key_starts_clean(starts, keys);
	if (err)
		return err;
	if (!array_push(&starts->starts, own) ||
	    !hash_table_add(&starts->table, hash, starts->starts.nr - 1))
		return &error_no_memory;
	return NULL;
}

bool key_starts_take(struct key_starts *starts, const struct count_keys *keys,
		     const struct session_record *r, uint64_t *ret)
{
	char pair[COUNT_MAX_PAIR] = { 0 };
	uint64_t hash = key_sample_pair(keys, r, pair);
	struct key_start *start = key_starts_find(starts, hash, pair, keys->pair_bytes);

	if (!start || !start->open)
		return false;
	start->open = false;
	starts->open--;
	*ret = r->sample.time > start->time ? r->sample.time - start->time : 0;
	return true;
}

void key_starts_deinit(struct key_starts *starts)
{
	free(starts->starts.items);
	hash_table_deinit(&starts->table);
	*starts = (struct key_starts){ 0 };
}
