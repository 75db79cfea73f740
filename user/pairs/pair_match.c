// SPDX-License-Identifier: GPL-2.0
#include "pairs/pair_match.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts/key_sample.h"
#include "lib/array.h"
#include "record/common_number.h"
#include "spec/caret.h"

/* Ended starts are dropped when there are more than open ones, and so many. */
#define PAIR_ENDED_MAX	4096

void pair_match_deinit(struct pair_match *match)
{
	for (size_t i = 0; i < match->starts.nr; i++)
		free((void *)match->starts.items[i].side.raw);
	free(match->starts.items);
	hash_table_deinit(&match->table);
	count_keys_deinit(&match->keys[SIDE_START]);
	count_keys_deinit(&match->keys[SIDE_END]);
	*match = (struct pair_match){ 0 };
}

static struct error *pair_match_find_event(struct pair_match *match, int side,
					   const struct event_list *events,
					   const struct formats *formats)
{
	const struct pair_spec *spec = match->spec;
	const char *word = side == SIDE_START ? spec->start : spec->end;
	size_t pos = side == SIDE_START ? spec->start_pos : spec->end_pos;

	for (size_t i = 0; i < events->nr; i++) {
		const struct event *event = events->items[i];
		const struct event_format *format = event->attr.type == PERF_TYPE_TRACEPOINT ?
			formats_find(formats, event->attr.config) : NULL;

		if (!format || !pair_spec_names(word, format->system, format->name) ||
		    !event_counts(events, event))
			continue;
		if (match->ends[side] && match->formats[side] != format)
			return error_hint(caret_error(spec->text, pos, "Several events are called '%s'",
						      word), "Write SYSTEM:EVENT");
		if (match->ends[side])
			continue;
		match->ends[side] = event;
		match->formats[side] = format;
	}
	if (!match->ends[side])
		return error_hint(caret_error(spec->text, pos, "The recording has no event '%s'", word),
				  "'ktrace evlist' lists its events");
	return NULL;
}

struct error *pair_match_check_common(const struct pair_spec *spec,
				      const struct common_field_info *common)
{
	if (!common || common->number == COMMON_FIELD_CPU || common->number == COMMON_FIELD_TGID ||
	    common->number == COMMON_FIELD_TID || common->number == COMMON_FIELD_COMM)
		return NULL;
	return error_new(EINVAL, "'%s' is not in each record, so a pair cannot have it: %s",
			 common->name, spec->text);
}

static struct error *pair_match_bind_keys(struct pair_match *match)
{
	const struct pair_spec *spec = match->spec;
	const char *const lists[] = { spec->by_start, spec->by_end };
	struct error *err = NULL;

	for (int side = 0; !err && spec->by_start && side < 2; side++) {
		err = count_keys_add_pair(&match->keys[side], match->formats[side], lists[side]);
		for (size_t i = 0; !err && i < match->keys[side].nr; i++) {
			const struct count_source *source = &match->keys[side].parts[i].source;

			err = pair_match_check_common(spec, source->common);
		}
	}
	for (size_t i = 0; !err && i < match->keys[SIDE_START].nr; i++) {
		const struct count_part *a = &match->keys[SIDE_START].parts[i];
		const struct count_part *b = &match->keys[SIDE_END].parts[i];

		if (a->is_text != b->is_text || a->size != b->size)
			err = error_new(EINVAL, "'%s' of %s and '%s' of %s have two types, so that they are "
					"never the same", a->name, spec->start, b->name, spec->end);
	}
	return err;
}

bool pair_match_is_of_task(const struct pair_match *match)
{
	for (size_t i = 0; i < match->keys[SIDE_START].nr; i++) {
		const struct common_field_info *a = match->keys[SIDE_START].parts[i].source.common;
		const struct common_field_info *b = match->keys[SIDE_END].parts[i].source.common;

		if (a && a == b && a->number == COMMON_FIELD_TID)
			return true;
	}
	return false;
}

static struct error *pair_match_check_firings(const struct pair_match *match)
{
	for (int side = 0; side < 2; side++) {
		const struct event *event = match->ends[side];

		if (!(event->attr.sample_type & PERF_SAMPLE_RAW))
			return error_hint(error_new(EINVAL, "The recording has no fields of %s", event->name),
					  "ktrace record keeps them; perf record needs -R");
		if (event->attr.freq || event->attr.sample_period > 1)
			return error_hint(error_new(EINVAL, "The recording has only some of the firings of %s",
						    event->name),
					  "Pairs need all of them: ktrace record -c 1");
		if (event->attr.enable_on_exec && !pair_match_is_of_task(match))
			return error_hint(error_new(EINVAL, "The recording is of a command, so it lacks the "
						    "firings of %s in other tasks", event->name),
					  "'by tid' makes pairs in each task; for others, ktrace record -a");
	}
	return NULL;
}

struct error *pair_match_init(const struct pair_spec *spec, const struct event_list *events,
			      const struct formats *formats, struct pair_match *ret)
{
	struct error *err = NULL;

	*ret = (struct pair_match){ .spec = spec };
	for (int side = 0; !err && side < 2; side++)
		err = pair_match_find_event(ret, side, events, formats);
	if (!err)
		err = pair_match_bind_keys(ret);
	return err ? err : pair_match_check_firings(ret);
}

void pair_match_side(const struct session_record *r, struct pair_side *ret)
{
	*ret = (struct pair_side){
		.time = r->sample.time, .cpu = r->sample.cpu, .pid = r->sample.pid,
		.tid = r->sample.tid, .raw = r->sample.raw, .raw_size = r->sample.raw_size,
	};
	/* The idle task of each CPU has a name of its own, which no record has. */
	if (!r->sample.tid)
		snprintf(ret->comm, sizeof(ret->comm), "swapper/%d", r->sample.cpu);
	else
		snprintf(ret->comm, sizeof(ret->comm), "%s", r->comm ? r->comm : "");
}

/* Each CPU has an idle task of its own, and all of them have the number 0. */
static int32_t pair_match_idle_cpu(const struct count_keys *keys, const struct session_record *r)
{
	for (size_t i = 0; i < keys->nr; i++) {
		const struct field *field = keys->parts[i].source.field;
		const struct common_field_info *common = keys->parts[i].source.common;

		if (field && !strcmp(field->type, "pid_t") &&
		    !field_u64(field, r->sample.raw, r->sample.raw_size))
			return r->sample.cpu;
		if (common && common->number == COMMON_FIELD_TID && !r->sample.tid)
			return r->sample.cpu;
	}
	return -1;
}

/* Set the key of a sample, and find its start; NULL: there is none. */
static struct pair_start *pair_match_find_start(struct pair_match *match, int side,
						const struct session_record *r,
						struct pair_start *key)
{
	*key = (struct pair_start){ .idle = pair_match_idle_cpu(&match->keys[side], r) };
	key->hash = key_sample_pair(&match->keys[side], r, key->key);
	hash_table_each(&match->table, key->hash, n) {
		struct pair_start *start = &match->starts.items[n];

		if (start->idle == key->idle &&
		    !memcmp(start->key, key->key, match->keys[side].pair_bytes))
			return start;
	}
	return NULL;
}

struct pair_start *pair_match_find(struct pair_match *match, const struct session_record *r)
{
	struct pair_start none, *start = pair_match_find_start(match, SIDE_START, r, &none);

	if (start)
		return start;
	if (!array_push(&match->starts, none) ||
	    !hash_table_add(&match->table, none.hash, match->starts.nr - 1))
		return NULL;
	return &match->starts.items[match->starts.nr - 1];
}

struct error *pair_match_begin(struct pair_start *start, const struct session_record *r)
{
	void *raw = (void *)start->side.raw;

	if (start->alloc < r->sample.raw_size) {
		raw = realloc(raw, r->sample.raw_size);
		if (!raw)
			return &error_no_memory;
		start->alloc = r->sample.raw_size;
	}
	pair_match_side(r, &start->side);
	if (r->sample.raw_size)
		memcpy(raw, r->sample.raw, r->sample.raw_size);
	start->side.raw = raw;
	start->open = true;
	return NULL;
}

struct pair_start *pair_match_end(struct pair_match *match, const struct session_record *r)
{
	struct pair_start key, *start = pair_match_find_start(match, SIDE_END, r, &key);

	if (!start || !start->open || start->side.time > r->sample.time)
		return NULL;
	start->open = false;
	return start;
}

bool pair_match_is_damaged(const struct pair_match *match, const struct session_record *r)
{
	for (int side = 0; side < 2; side++)
		if (r->event == match->ends[side])
			return r->sample.raw_size < match->formats[side]->record_size;
	return false;
}

struct error *pair_match_forget(struct pair_match *match)
{
	struct pair_match left = { .spec = NULL };
	size_t ended = 0;

	for (size_t i = 0; i < match->starts.nr; i++)
		ended += !match->starts.items[i].open;
	if (ended < PAIR_ENDED_MAX || ended < match->starts.nr - ended)
		return NULL;
	for (size_t i = 0; i < match->starts.nr; i++) {
		struct pair_start *start = &match->starts.items[i];

		if (!start->open)
			continue;
		if (!array_push(&left.starts, *start) ||
		    !hash_table_add(&left.table, start->hash, left.starts.nr - 1)) {
			free(left.starts.items);
			hash_table_deinit(&left.table);
			return &error_no_memory;
		}
	}
	for (size_t i = 0; i < match->starts.nr; i++)
		if (!match->starts.items[i].open)
			free((void *)match->starts.items[i].side.raw);
	free(match->starts.items);
	hash_table_deinit(&match->table);
	memcpy(&match->starts, &left.starts, sizeof(match->starts));
	match->table = left.table;
	return NULL;
}
