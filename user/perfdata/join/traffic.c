// SPDX-License-Identifier: GPL-2.0
#include "perfdata/join/traffic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "perfdata/reader_state.h"
#include "record/sample.h"

/* An end of a rule, bound to an event of a recording. */
struct bound_side {
	const struct traffic_side *side;
	const struct field **fields, **others;	/* by item; in one allocation, owned */
	uint64_t rule;				/* its number */
	size_t event;				/* index in the recording's list */
	bool received;
};

struct bound_sides {
	struct bound_side *items;
	size_t nr, alloc;
};

static void free_sides(struct bound_sides *sides)
{
	array_free_each(sides, .fields);
}

static struct error *no_such_field(const struct reader *reader, const struct event_format *format,
				   const char *name)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;

	for (size_t i = format->nr_common; i < format->nr_fields; i++)
		strbuf_addf(&names, "%s%s", i > format->nr_common ? ", " : "", format->fields[i].name);
	return error_hint(error_new(EINVAL, "%s:%s in %s has no field '%s', which --match names",
				    format->system, format->name, reader->name, name),
			  "Its fields are %s", names.data ? names.data : "not known");
}

/* Look up the fields; *ret_found is whether the event has all of them. */
static struct error *bind_fields(const struct reader *reader, const struct event_format *format,
				 struct bound_side *bound, bool must, bool *ret_found)
{
	const struct traffic_side *side = bound->side;

	*ret_found = false;
	bound->fields = calloc(2 * side->nr, sizeof(*bound->fields));
	if (!bound->fields)
		return &error_no_memory;
	bound->others = bound->fields + side->nr;
	for (size_t i = 0; i < side->nr; i++) {
		const struct traffic_item *item = &side->items[i];

		bound->fields[i] = event_format_field(format, item->field);
		if (item->other)
			bound->others[i] = event_format_field(format, item->other);
		if (bound->fields[i] && (!item->other || bound->others[i]))
			continue;
		return !must ? NULL :
		       no_such_field(reader, format, bound->fields[i] ? item->other : item->field);
	}
	*ret_found = true;
	return NULL;
}

static struct error *bind_side(const struct reader *reader, const struct traffic_rules *rules,
			       size_t rule, bool received, struct bound_sides *ret)
{
	const struct traffic_rule *of = &rules->items[rule];
	const struct traffic_side *side = received ? &of->receive : &of->send;

	for (size_t i = 0; i < reader->events.nr; i++) {
		const struct event *event = reader->events.items[i];
		const struct event_format *format = event->attr.type == PERF_TYPE_TRACEPOINT ?
			formats_find(reader->formats, event->attr.config) : NULL;
		struct bound_side bound = { .side = side, .rule = rule, .event = event->index,
					    .received = received };
		struct error *err;
		bool found;

		if (!format || strcmp(format->system, side->system) ||
		    strcmp(format->name, side->event) ||
		    !(event->attr.sample_type & PERF_SAMPLE_RAW))
			continue;
		err = bind_fields(reader, format, &bound, rules->own, &found);
		if (!err && found && !array_push(ret, bound))
			err = &error_no_memory;
		if (err || !found)
			free(bound.fields);
		if (err)
			return err;
	}
	return NULL;
}

/* The value as a number, or a hash of its bytes; the two ends may have it in different sizes. */
static uint64_t value_of(const struct field *field, const struct sample *sample)
{
	const void *bytes;
	size_t size;

	if (field->kind == FIELD_INTEGER)
		return field_u64(field, sample->raw, sample->raw_size);
	bytes = field_bytes(field, sample->raw, sample->raw_size, &size);
	return bytes ? hash_key_bytes(bytes, size) : 0;
}

/* Returns false if the sample is not of this end. */
static bool key_of(const struct bound_side *bound, const struct sample *sample, uint64_t *ret)
{
	*ret = hash_key_number(bound->rule);
	for (size_t i = 0; i < bound->side->nr; i++) {
		const struct traffic_item *item = &bound->side->items[i];
		uint64_t value = value_of(bound->fields[i], sample);

		if (item->kind == TRAFFIC_EQUAL && value != item->number)
			return false;
		if (item->kind == TRAFFIC_DIFFER && value == value_of(bound->others[i], sample))
			return false;
		if (item->kind == TRAFFIC_KEY)
			*ret = hash_key_join(*ret, value);
	}
	return true;
}

static bool is_thinned_out(uint64_t key, unsigned int bits)
{
	return key & ((1ULL << bits) - 1);
}

static bool keep_end(struct traffic *traffic, const struct traffic_end *end)
{
	size_t kept = 0;

	if (is_thinned_out(end->key, traffic->thinned))
		return true;
	if (!array_push(traffic, *end))
		return false;
	if (traffic->nr < TRAFFIC_MAX || traffic->thinned >= 32)
		return true;
	traffic->thinned++;
	for (size_t i = 0; i < traffic->nr; i++)
		if (!is_thinned_out(traffic->items[i].key, traffic->thinned))
			traffic->items[kept++] = traffic->items[i];
	traffic->nr = kept;
	return true;
}

static bool take_ends_of(struct traffic *traffic, const struct bound_sides *sides,
			const struct record *record)
{
	struct sample sample;

	if (record->header->type != PERF_RECORD_SAMPLE || !record->event || !record->time)
		return true;
	for (size_t i = 0; i < sides->nr; i++) {
		const struct bound_side *bound = &sides->items[i];
		struct traffic_end end = { .time = record->time, .received = bound->received };

		if (bound->event != record->event->index)
			continue;
		if (!sample_decode(record->event, record->header, &sample) || !sample.raw)
			return true;
		if (key_of(bound, &sample, &end.key) && !keep_end(traffic, &end))
			return false;
	}
	return true;
}

static struct error *read_ends(struct traffic *traffic, struct reader *reader,
			       const struct bound_sides *sides)
{
	struct record_scope scope = { .events = 0 };
	struct record record;
	struct error *err;

	for (size_t i = 0; i < sides->nr; i++)
		scope.events |= 1ULL << sides->items[i].event % 64;
	err = reader_narrow(reader, &scope);
	while (!err && record_source_next(reader_source(reader), &record, &err) == RECORD_OK)
		if (!take_ends_of(traffic, sides, &record))
			return &error_no_memory;
	error_free(err);
	return NULL;
}

struct error *traffic_collect(struct traffic *traffic, const char *path,
			      const struct traffic_rules *rules, unsigned int *ret_matched)
{
	_cleanup_(reader) struct reader *reader = NULL;
	struct bound_sides sides = { .items = NULL };
	bool quiet = log_quiet;
	struct error *err = reader_open(path, &reader);

	*ret_matched = 0;
	for (size_t i = 0; !err && i < rules->nr; i++) {
		err = bind_side(reader, rules, i, false, &sides);
		if (!err)
			err = bind_side(reader, rules, i, true, &sides);
	}
	for (size_t i = 0; i < sides.nr; i++)
		*ret_matched |= sides.items[i].received ? 2 : 1;
	if (!err && sides.nr) {
		/* The recording's other readers report its defects. */
		log_quiet = true;
		err = read_ends(traffic, reader, &sides);
		log_quiet = quiet;
	}
	free_sides(&sides);
	return err;
}

DEFINE_COMPARISON(compare_ends, struct traffic_end, array_order(x->key, y->key))

static bool copy_ends(struct traffic *all, const struct traffic *from, bool of_other)
{
	for (size_t i = 0; i < from->nr; i++) {
		struct traffic_end end = from->items[i];

		end.of_other = of_other;
		if (!is_thinned_out(end.key, all->thinned) && !array_push(all, end))
			return false;
	}
	return true;
}

/* Add the bound from a message with two ends. */
static bool add_bound_of(const struct traffic_end *a, const struct traffic_end *b,
			struct clock_bounds *lower, struct clock_bounds *upper)
{
	const struct traffic_end *own = a->of_other ? b : a, *other = a->of_other ? a : b;
	struct clock_bound bound = {
		.time = own->time, .difference = (int64_t)(other->time - own->time),
	};

	if (own->of_other == other->of_other || own->received == other->received)
		return true;
	return own->received ? array_push(lower, bound) : array_push(upper, bound);
}

DEFINE_COMPARISON(compare_bounds, struct clock_bound, array_order(x->time, y->time) ?:
		  array_order(x->difference, y->difference))

static void sort_bounds(struct clock_bounds *bounds)
{
	array_sort(bounds, compare_bounds);
}

struct error *traffic_compare(const struct traffic *own, const struct traffic *other,
			      struct clock_bounds *lower, struct clock_bounds *upper)
{
	struct traffic all = { .thinned = own->thinned > other->thinned ? own->thinned :
									  other->thinned };
	bool enough = copy_ends(&all, own, false) && copy_ends(&all, other, true);
	size_t next;

	if (enough && all.nr)
		array_sort(&all, compare_ends);
	for (size_t i = 0; enough && i < all.nr; i = next) {
		for (next = i + 1; next < all.nr && all.items[next].key == all.items[i].key; next++)
			;
		if (next == i + 2)
			enough = add_bound_of(&all.items[i], &all.items[i + 1], lower, upper);
	}
	traffic_deinit(&all);
	sort_bounds(lower);
	sort_bounds(upper);
	return enough ? NULL : &error_no_memory;
}

void traffic_deinit(struct traffic *traffic)
{
	free(traffic->items);
	*traffic = (struct traffic){ 0 };
}
