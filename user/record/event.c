// SPDX-License-Identifier: GPL-2.0
#include "record/event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "record/record.h"

#define FIXED_FIELDS \
	((uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
		    PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
		    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD))

struct event_id_slot {
	uint64_t id;
	struct event *event;	/* NULL: free */
};

void event_list_init(struct event_list *list)
{
	*list = (struct event_list){ 0 };
}

static void event_destroy(struct event *event)
{
	free(event->name);
	free(event->group_name);
	free(event->ids);
	free(event->filter);
	free(event->format_text);
	free(event->cgroup);
	common_layout_deinit(&event->common);
	free(event);
}

void event_list_deinit(struct event_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		event_destroy(list->items[i]);
	free(list->items);
	free(list->id_table);
	event_list_init(list);
}

struct error *event_list_add(struct event_list *list,
			     const struct perf_event_attr *attr,
			     const char *name, struct event **ret)
{
	struct event *event = calloc(1, sizeof(*event));

	if (!event)
		return &error_no_memory;
	event->attr = *attr;
	event->name = strdup(name);
	event->index = list->nr;
	if (!event->name || !array_push(list, event)) {
		event_destroy(event);
		return &error_no_memory;
	}
	event_finish(event);
	if (ret)
		*ret = event;
	return NULL;
}

static char *copy_text(const char *text, bool *failed)
{
	char *copy = text ? strdup(text) : NULL;

	*failed |= text && !copy;
	return copy;
}

struct error *event_list_add_copy(struct event_list *list, const struct event *from,
				  struct event **ret)
{
	struct event *to;
	struct error *err = event_list_add(list, &from->attr, from->name, &to);
	bool failed = false;

	if (err)
		return err;
	*ret = to;
	to->source = from->source;
	to->in_order = from->in_order;
	to->user_strings = from->user_strings;
	to->trigger = from->trigger;
	to->filter_tree = from->filter_tree;
	to->filter = copy_text(from->filter, &failed);
	to->cgroup = copy_text(from->cgroup, &failed);
	to->format_text = copy_text(from->format_text, &failed);
	event_finish(to);
	return failed ? &error_no_memory : common_layout_copy(&from->common, &to->common);
}

struct error *event_check_known(const struct event *event, size_t nr)
{
	if (event->index < nr)
		return NULL;
	return error_hint(error_new(EBADMSG, "The recording is damaged: the event %s is described "
				    "only after its first records", event->name),
			  "Only pipes may do that; 'ktrace script' still shows its samples");
}

void event_list_remove(struct event_list *list, struct event *event)
{
	size_t at = event->index;

	memmove(list->items + at, list->items + at + 1,
		(--list->nr - at) * sizeof(*list->items));
	for (size_t i = at; i < list->nr; i++)
		list->items[i]->index = i;
	event_destroy(event);
}

struct error *event_add_id(struct event *event, uint64_t id)
{
	/*
	 * The allocated room is the next power of two, so it has to grow when nr_ids reaches
	 * one.
	 */
	if (!(event->nr_ids & (event->nr_ids - 1))) {
		size_t room = event->nr_ids ? event->nr_ids * 2 : 1;
		uint64_t *grown = reallocarray(event->ids, room, sizeof(*grown));

		if (!grown)
			return &error_no_memory;
		event->ids = grown;
	}
	event->ids[event->nr_ids++] = id;
	if (event->nr_ids == 1)
		event_finish(event);
	return NULL;
}

/* A recording that was killed or cut off, or went through perf inject, lacks the source. */
static bool event_is_of_device(const struct event *event)
{
	return event->source == EVENT_SOURCE_DEVICE ||
	       (event->nr_ids && event->ids[0] >= EVENT_DEVICE_IDS);
}

void event_finish(struct event *event)
{
	uint64_t type = event->attr.sample_type;
	int offset = sizeof(struct perf_event_header);
	int back = 0;

	event->fixed_size = 8 * __builtin_popcountll(type & FIXED_FIELDS);
	event->plain = (type & PERF_SAMPLE_TID) && (type & PERF_SAMPLE_TIME) &&
		       !(type & ~(FIXED_FIELDS | PERF_SAMPLE_RAW));
	event->is_compact = event_is_of_device(event) && !(type & PERF_SAMPLE_CPU) &&
			    event->attr.type == PERF_TYPE_TRACEPOINT;
	event->time_offset = event->id_offset = event->tid_offset = -1;
	event->time_back = event->id_back = -1;

	if (type & PERF_SAMPLE_IDENTIFIER) {
		event->id_offset = offset;
		offset += 8;
	}
	if (type & PERF_SAMPLE_IP)
		offset += 8;
	if (type & PERF_SAMPLE_TID) {
		event->tid_offset = offset;
		offset += 8;
	}
	if (type & PERF_SAMPLE_TIME) {
		event->time_offset = offset;
		offset += 8;
	}
	if (type & PERF_SAMPLE_ADDR)
		offset += 8;
	if ((type & PERF_SAMPLE_ID) && event->id_offset < 0)
		event->id_offset = offset;

	if (!event->attr.sample_id_all)
		return;
	/* We walk the sample_id at a record's end backwards. */
	if (type & PERF_SAMPLE_IDENTIFIER) {
		back += 8;
		event->id_back = back;
	}
	if (type & PERF_SAMPLE_CPU)
		back += 8;
	if (type & PERF_SAMPLE_STREAM_ID)
		back += 8;
	if (type & PERF_SAMPLE_ID) {
		back += 8;
		if (event->id_back < 0)
			event->id_back = back;
	}
	if (type & PERF_SAMPLE_TIME)
		event->time_back = back + 8;
}

static size_t hash_id(uint64_t id)
{
	return hash_key_number(id);
}

static void insert_id(struct event_list *list, uint64_t id, struct event *event)
{
	size_t i = hash_id(id) & list->id_mask;

	while (list->id_table[i].event && list->id_table[i].id != id)
		i = (i + 1) & list->id_mask;
	list->id_table[i] = (struct event_id_slot){ id, event };
}

static void index_event(struct event_list *list, struct event *event)
{
	const struct event *first = list->items[0];

	for (size_t j = 0; j < event->nr_ids; j++)
		insert_id(list, event->ids[j], event);
	list->ids_indexed += event->nr_ids;
	if (event->id_offset != first->id_offset || event->id_back != first->id_back)
		list->one_layout = false;
	if (event->time_offset != first->time_offset)
		list->one_time = false;
}

struct error *event_list_index(struct event_list *list)
{
	size_t nr = 0, size = 16;

	for (size_t i = 0; i < list->nr; i++)
		nr += list->items[i]->nr_ids;
	while (size < nr * 2)
		size *= 2;
	free(list->id_table);
	list->id_mask = size - 1;
	list->id_table = calloc(size, sizeof(*list->id_table));
	if (!list->id_table)
		return &error_no_memory;
	list->one_layout = list->one_time = true;
	list->ids_indexed = 0;
	for (size_t i = 0; i < list->nr; i++)
		index_event(list, list->items[i]);
	return NULL;
}

struct error *event_list_index_last(struct event_list *list)
{
	struct event *last = list->items[list->nr - 1];

	/* The whole table is rebuilt only when it has to double. */
	if (!list->id_table || (list->ids_indexed + last->nr_ids) * 2 > list->id_mask + 1)
		return event_list_index(list);
	index_event(list, last);
	return NULL;
}

bool event_list_has(const struct event_list *list, uint64_t sample_type)
{
	return array_any(list, it, (*it)->attr.sample_type & sample_type);
}

static bool texts_are_same(const char *a, const char *b)
{
	return !strcmp(a ? : "", b ? : "");
}

static bool event_is_limited(const struct event *event)
{
	return !texts_are_same(event->filter, NULL) || !texts_are_same(event->cgroup, NULL);
}

/* Whether the samples of the other event have all data of @event, too. */
static bool event_is_covered(const struct event *event, const struct event *by)
{
	if (by->attr.type != event->attr.type || by->attr.config != event->attr.config ||
	    !by->nr_ids || !event->nr_ids)
		return false;
	if (event_is_limited(event) && !event_is_limited(by))
		return true;
	return by->index < event->index && texts_are_same(by->filter, event->filter) &&
	       texts_are_same(by->cgroup, event->cgroup);
}

bool event_counts(const struct event_list *list, const struct event *event)
{
	for (size_t i = 0; list && i < list->nr; i++)
		if (event_is_covered(event, list->items[i]))
			return false;
	return true;
}

struct event *event_list_find_id(const struct event_list *list, uint64_t id)
{
	if (!list->id_table)
		return NULL;
	for (size_t i = hash_id(id) & list->id_mask; list->id_table[i].event;
	     i = (i + 1) & list->id_mask)
		if (list->id_table[i].id == id)
			return list->id_table[i].event;
	return NULL;
}

static uint64_t event_load_u64(const void *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

struct event *event_list_find_record(const struct event_list *list,
				     const struct perf_event_header *header)
{
	const char *bytes = (const char *)header;
	const struct event *first;
	uint64_t id;
	int at;

	if (list->nr <= 1)
		return list->nr ? list->items[0] : NULL;
	if (!list->one_layout)
		return NULL;
	first = list->items[0];
	if (header->type == PERF_RECORD_SAMPLE) {
		at = first->id_offset;
	} else {
		if (header->type >= RECORD_USER_TYPE_START || first->id_back < 0)
			return NULL;
		at = (int)header->size - first->id_back;
	}
	if (at < (int)sizeof(*header) || at + 8 > header->size)
		return NULL;
	id = event_load_u64(bytes + at);
	/* Records that the tool synthesized carry id 0 and have the layout of the first event. */
	if (!id)
		return list->items[0];
	return event_list_find_id(list, id);
}

uint64_t event_record_time(const struct event *event,
			   const struct perf_event_header *header)
{
	int at;

	if (header->type == PERF_RECORD_SAMPLE)
		at = event->time_offset;
	else if (header->type >= RECORD_USER_TYPE_START || event->time_back < 0)
		return 0;
	else
		at = (int)header->size - event->time_back;
	if (at < (int)sizeof(*header) || at + 8 > header->size)
		return 0;
	return event_load_u64((const char *)header + at);
}

size_t event_attr_known_size(const struct perf_event_attr *attr)
{
	for (size_t at = PERF_ATTR_SIZE_VER7; at < sizeof(*attr); at++)
		if (((const char *)attr)[at])
			return sizeof(*attr);
	return PERF_ATTR_SIZE_VER7;
}
