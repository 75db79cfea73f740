// SPDX-License-Identifier: GPL-2.0
#include "analysis/data_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "symbol/disassembly.h"
#include "symbol/dwarf_lines.h"
#include "symbol/type_name.h"
#include "symbol/variables.h"

/* The variables of one binary. */
struct known_variables {
	const struct dwarf_lines *lines;
	struct variables *variables;
};

struct attributing {
	struct machine *machine;
	const struct disassembly_options *options;
	struct data_types *types;
	struct {
		struct known_variables *items;
		size_t nr, alloc;
	} known;
};

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

/* Count samples that have no type, for @reason. */
static bool add_untyped(struct data_types *types, enum data_access reason, size_t event,
			const struct sample_count *count)
{
	const char *name = reason == DATA_ACCESS_STACK ? "(stack operation)" : "(unknown)";
	struct data_type *type = add_type(types, NULL, name, 0, NULL);

	types->reasons[reason] += count->samples;
	return type && add_typed_sample(type, 0, event, count);
}

static bool add_typed(struct data_types *types, const struct dso *dso,
		      struct object_place *place, size_t event, const struct sample_count *count)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	struct data_type *type;

	type_name_add(&place->type, &name);
	if (name.failed)
		return false;
	type = add_type(types, dso, strbuf_str(&name), type_layout_size(&place->type),
			&place->type);
	types->reasons[DATA_ACCESS_KNOWN] += count->samples;
	return type && add_typed_sample(type, place->offset, event, count);
}

static struct error *find_variables(struct attributing *s, struct dwarf_lines *lines,
				    struct variables **ret)
{
	struct known_variables added = { .lines = lines };

	*ret = NULL;
	if (!lines || !dwarf_lines_dwarf(lines))
		return NULL;
	for (size_t i = 0; i < s->known.nr && !*ret; i++)
		if (s->known.items[i].lines == lines)
			*ret = s->known.items[i].variables;
	if (*ret)
		return NULL;
	added.variables = variables_create(lines);
	if (!added.variables || !array_push(&s->known, added)) {
		variables_destroy(added.variables);
		return &error_no_memory;
	}
	*ret = added.variables;
	return NULL;
}

/* The instruction that contains @address; SIZE_MAX: none does. */
static size_t instruction_at(const struct disassembly *d, uint64_t address)
{
	size_t low = 0, high = d->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (d->items[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address - d->items[low - 1].address < d->items[low - 1].size ? low - 1 :
										    SIZE_MAX;
}

static bool attribute_address(struct attributing *s, const struct counted_function *f,
			      struct data_accesses *accesses, const struct disassembly *d,
			      uint64_t address, const struct address_count *at)
{
	size_t position = instruction_at(d, address);
	enum data_access access = DATA_ACCESS_NO_INSTRUCTION;
	struct object_place place;

	if (position != SIZE_MAX) {
		access = data_accesses_find(accesses, position, &place);
		if (!add_instruction_count(s->types, d->items[position].text,
					   access <= DATA_ACCESS_STACK, at->count.samples))
			return false;
	}
	return access == DATA_ACCESS_KNOWN ?
	       add_typed(s->types, f->dso, &place, at->event, &at->count) :
	       add_untyped(s->types, access, at->event, &at->count);
}

static struct error *attribute_code(struct attributing *s, const struct counted_function *f,
				    const struct code *code)
{
	_cleanup_(disassembly) struct disassembly d = { .nr = 0 };
	_cleanup_(data_accesses) struct data_accesses *accesses = NULL;
	struct variables *variables = NULL;
	struct error *err;

	err = disassemble(code, s->options, &d);
	if (!err && !code->relocatable)
		err = find_variables(s, dso_lines(f->dso, code->lines ? code->lines : code->path),
				     &variables);
	if (err)
		return err;
	accesses = data_accesses_create(code->machine, code->relocatable, &d, variables);
	if (!accesses)
		return &error_no_memory;
	for (size_t i = 0; i < f->addresses.nr; i++)
		if (!attribute_address(s, f, accesses, &d,
				       code->address + f->addresses.items[i].offset,
				       &f->addresses.items[i]))
			return &error_no_memory;
	return NULL;
}

static struct error *attribute_function(struct attributing *s, const struct counted_function *f)
{
	_cleanup_(code) struct code code = { .size = 0 };
	struct error *err;

	err = machine_code(s->machine, f->dso, f->symbol, f->start, &code);
	if (!err)
		err = attribute_code(s, f, &code);
	if (!err || err->code != ENOENT)
		return err;
	error_free(err);
	for (size_t i = 0; i < f->addresses.nr; i++)
		if (!add_untyped(s->types, DATA_ACCESS_NO_INSTRUCTION, f->addresses.items[i].event,
				 &f->addresses.items[i].count))
			return &error_no_memory;
	return NULL;
}

/* Count the samples of an event that are in no function. */
static bool add_strays(struct data_types *types, const struct function_counts *counts,
		       size_t event)
{
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
	return !left.samples || add_untyped(types, DATA_ACCESS_NO_SYMBOL, event, &left);
}

struct error *data_types_create(struct machine *machine, const struct function_counts *counts,
				size_t nr_events, const char *symbol,
				const struct disassembly_options *options,
				struct data_types **ret)
{
	_cleanup_(data_types) struct data_types *types = calloc(1, sizeof(*types));
	struct attributing s = { .machine = machine, .options = options, .types = types };
	struct error *err = types ? NULL : &error_no_memory;

	for (size_t i = 0; i < function_counts_nr(counts) && !err; i++) {
		const struct counted_function *f = function_counts_at(counts, i);

		if (!symbol || !strcmp(symbol, f->symbol->name))
			err = attribute_function(&s, f);
	}
	for (size_t i = 0; i < nr_events && !symbol && !err; i++)
		if (!add_strays(types, counts, i))
			err = &error_no_memory;
	for (size_t i = 0; i < s.known.nr; i++)
		variables_destroy(s.known.items[i].variables);
	free(s.known.items);
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
