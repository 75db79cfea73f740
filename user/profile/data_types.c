// SPDX-License-Identifier: GPL-2.0
#include "profile/data_types.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "profile/histogram/access_types.h"

void data_types_destroy(struct data_types *types)
{
	if (!types)
		return;
	for (size_t i = 0; i < types->types.nr; i++) {
		struct data_type *type = &types->types.items[i];

		free(type->name);
		type_layout_destroy(type->layout);
		free(type->places.items);
	}
	for (size_t i = 0; i < types->instructions.nr; i++)
		free(types->instructions.items[i].name);
	free(types->types.items);
	free(types->instructions.items);
	free(types);
}

/* Find or add a type; the result is valid until the next one is added.  NULL: no memory. */
static struct data_type *add_type(struct data_types *types, const struct dso *dso,
				  const char *name, uint64_t size, Dwarf_Die *die)
{
	struct data_type added = { .dso = dso, .size = size };

	for (size_t i = 0; i < types->types.nr; i++) {
		struct data_type *type = &types->types.items[i];

		if (type->dso == dso && type->size == size && !strcmp(type->name, name))
			return type;
	}
	added.name = strdup(name);
	added.layout = die ? type_layout_create(die) : NULL;
	if (added.name && (!die || added.layout) && array_push(&types->types, added))
		return &types->types.items[types->types.nr - 1];
	free(added.name);
	type_layout_destroy(added.layout);
	return NULL;
}

static bool add_typed_sample(struct data_type *type, uint64_t offset, size_t event,
		       const struct sample_count *count)
{
	struct data_place added = { offset, event, *count };

	for (size_t i = 0; i < type->places.nr; i++) {
		struct data_place *place = &type->places.items[i];

		if (place->offset != offset || place->event != event)
			continue;
		place->count.samples += count->samples;
		place->count.period += count->period;
		return true;
	}
	return array_push(&type->places, added);
}

static bool add_instruction_count(struct data_types *types, const char *text, bool good,
				  uint64_t samples)
{
	size_t len = strcspn(text, " \t");
	struct data_instruction *found = NULL;
	struct data_instruction added = { .name = NULL };

	for (size_t i = 0; i < types->instructions.nr && !found; i++) {
		struct data_instruction *known = &types->instructions.items[i];

		if (strlen(known->name) == len && !strncmp(known->name, text, len))
			found = known;
	}
	if (!found) {
		added.name = strndup(text, len);
		if (!added.name || !array_push(&types->instructions, added)) {
			free(added.name);
			return false;
		}
		found = &types->instructions.items[types->instructions.nr - 1];
	}
	*(good ? &found->good : &found->bad) += samples;
	return true;
}

/* Count samples for the object that their instruction accesses. */
static bool add_access(struct data_types *types, const struct dso *dso,
		       struct access_type *access, size_t event,
		       const struct sample_count *count)
{
	const bool known = access->access == DATA_ACCESS_KNOWN;
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	struct data_type *type;

	access_type_add_name(access, &name);
	if (name.failed)
		return false;
	type = add_type(types, known ? dso : NULL, strbuf_str(&name),
			known ? type_layout_size(&access->place.type) : 0,
			known ? &access->place.type : NULL);
	types->reasons[access->access] += count->samples;
	return type && add_typed_sample(type, known ? access->place.offset : 0, event, count);
}

static struct error *attribute_function(struct data_types *types, struct access_types *accesses,
					struct machine *machine, const struct counted_function *f)
{
	for (size_t i = 0; i < f->addresses.nr; i++) {
		const struct address_count *at = &f->addresses.items[i];
		struct access_type access;
		struct error *err;

		err = access_types_find(accesses, machine, f->dso, f->symbol, f->start,
					at->offset, &access);
		if (err)
			return err;
		if (access.instruction &&
		    !add_instruction_count(types, access.instruction,
					   data_access_is_good(access.access), at->count.samples))
			return &error_no_memory;
		if (!add_access(types, f->dso, &access, at->event, &at->count))
			return &error_no_memory;
	}
	return NULL;
}

/* Count the samples of an event that are in no function. */
static bool add_strays(struct data_types *types, const struct function_counts *counts,
		       size_t event)
{
	struct access_type nowhere = { .access = DATA_ACCESS_NO_SYMBOL };
	struct sample_count left = function_counts_total(counts, event);

	for (size_t i = 0; i < function_counts_nr(counts); i++) {
		const struct counted_function *f = function_counts_at(counts, i);

		for (size_t k = 0; k < f->addresses.nr; k++) {
			if (f->addresses.items[k].event != event)
				continue;
			left.samples -= f->addresses.items[k].count.samples;
			left.period -= f->addresses.items[k].count.period;
		}
	}
	return !left.samples || add_access(types, NULL, &nowhere, event, &left);
}

struct error *data_types_create(struct machine *machine, const struct function_counts *counts,
				size_t nr_events, const char *symbol,
				const struct disassembly_options *options,
				struct data_types **ret)
{
	_cleanup_(data_types) struct data_types *types = calloc(1, sizeof(*types));
	_cleanup_(access_types) struct access_types *accesses = NULL;
	struct error *err = types ? access_types_create(options, &accesses) :
				    &error_no_memory;

	for (size_t i = 0; i < function_counts_nr(counts) && !err; i++) {
		const struct counted_function *f = function_counts_at(counts, i);

		if (!symbol || !strcmp(symbol, f->symbol->name))
			err = attribute_function(types, accesses, machine, f);
	}
	for (size_t i = 0; i < nr_events && !symbol && !err; i++)
		if (!add_strays(types, counts, i))
			err = &error_no_memory;
	if (err)
		return err;
	*ret = take_ptr(types);
	return NULL;
}

struct sample_count data_type_count(const struct data_type *type, size_t event, uint64_t from,
				    uint64_t size)
{
	struct sample_count sum = { 0 };

	for (size_t i = 0; i < type->places.nr; i++) {
		const struct data_place *place = &type->places.items[i];

		if (place->event != event || place->offset - from >= size)
			continue;
		sum.samples += place->count.samples;
		sum.period += place->count.period;
	}
	return sum;
}

struct sample_count data_type_total(const struct data_type *type, size_t event)
{
	return data_type_count(type, event, 0, UINT64_MAX);
}

DEFINE_COMPARISON(compare_ranked_types, struct ranked_type,
		  array_descending(x->period, y->period) ?: array_descending(x->all, y->all) ?:
		  strcmp(x->type->name, y->type->name))

struct error *data_types_rank(const struct data_types *types, const size_t *events,
			      size_t nr_events, struct ranked_types *ret)
{
	ret->nr = 0;
	ret->items = calloc(types->types.nr + 1, sizeof(*ret->items));
	if (!ret->items)
		return &error_no_memory;
	for (size_t i = 0; i < types->types.nr; i++) {
		struct ranked_type one = { .type = &types->types.items[i] };

		for (size_t k = 0; k < nr_events; k++)
			one.all += data_type_total(one.type, events[k]).period;
		one.period = data_type_total(one.type, events[0]).period;
		if (one.all)
			ret->items[ret->nr++] = one;
	}
	qsort(ret->items, ret->nr, sizeof(*ret->items), compare_ranked_types);
	return NULL;
}

void ranked_types_deinit(struct ranked_types *ranked)
{
	free(ranked->items);
	*ranked = (struct ranked_types){ 0 };
}
