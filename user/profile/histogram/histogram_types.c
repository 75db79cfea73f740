// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/histogram_values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "profile/histogram/access_types.h"
#include "symbol/code/type_layout.h"

/* The size of a cache line if it is not recorded. */
#define CACHE_LINE	64

/* The object that the instruction at an address accesses. */
struct typed_address {
	const struct dso *dso;
	uint64_t address;
	char *name;				/* of the type; owned */
	const struct type_layout *layout;	/* NULL: it has no type */
	uint64_t offset;			/* in the type */
};

struct known_layout {
	const void *die;
	struct type_layout *layout;
};

struct histogram_types {
	struct access_types *accesses;
	ARRAY_OF(struct typed_address) addresses;
	struct hash_table address_table;	/* positions in addresses */
	ARRAY_OF(struct known_layout) layouts;
	struct hash_table layout_table;		/* positions in layouts */
};

struct error *histogram_types_create(struct histogram_types **ret)
{
	_cleanup_(histogram_types) struct histogram_types *types = calloc(1, sizeof(*types));
	const struct disassembly_options options = { .objdump = NULL };
	struct error *err;

	if (!types)
		return &error_no_memory;
	err = access_types_create(&options, &types->accesses);
	if (err)
		return err;
	*ret = take_ptr(types);
	return NULL;
}

void histogram_types_destroy(struct histogram_types *types)
{
	if (!types)
		return;
	access_types_destroy(types->accesses);
	array_free_each(&types->addresses, .name);
	hash_table_deinit(&types->address_table);
	for (size_t i = 0; i < types->layouts.nr; i++)
		type_layout_destroy(types->layouts.items[i].layout);
	free(types->layouts.items);
	hash_table_deinit(&types->layout_table);
	free(types);
}

/* Find the layout of a type, which many addresses have; NULL: out of memory. */
static const struct type_layout *find_layout(struct histogram_types *types, Dwarf_Die *type)
{
	const uint64_t hash = hash_key_number((uintptr_t)type->addr);
	struct known_layout added = { .die = type->addr };

	hash_table_each(&types->layout_table, hash, n) {
		const struct known_layout *known = &types->layouts.items[n];

		if (known->die == type->addr)
			return known->layout;
	}
	added.layout = type_layout_create(type);
	if (!added.layout || !hash_table_add(&types->layout_table, hash, types->layouts.nr) ||
	    !array_push(&types->layouts, added)) {
		type_layout_destroy(added.layout);
		return NULL;
	}
	return added.layout;
}

/* Look up the object that the instruction at a place accesses. */
static struct error *look_up_type(struct histogram_types *types, struct machine *machine,
				  const struct place *place, struct typed_address *ret)
{
	struct access_type access = { .access = DATA_ACCESS_NO_SYMBOL };
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	struct error *err = NULL;

	if (place->symbol)
		err = access_types_find(types->accesses, machine, place->map->dso, place->symbol,
					place->ip - place->offset, place->offset, &access);
	if (err)
		return err;
	if (access.access == DATA_ACCESS_KNOWN) {
		ret->offset = access.place.offset;
		ret->layout = find_layout(types, &access.place.type);
		if (!ret->layout)
			return &error_no_memory;
	}
	access_type_add_name(&access, &name);
	ret->name = name.failed ? NULL : strdup(strbuf_str(&name));
	return ret->name ? NULL : &error_no_memory;
}

static struct error *find_typed_address(struct histogram_types *types, struct machine *machine,
					const struct place *place,
					const struct typed_address **ret)
{
	struct typed_address added = { .dso = place->map ? place->map->dso : NULL };
	struct error *err;
	uint64_t hash;

	/* Addresses outside of binaries cannot be distinguished. */
	added.address = !added.dso ? 0 : added.dso->shared ? place->ip : place->address;
	hash = hash_key_join(hash_key_number(added.address), (uintptr_t)added.dso);
	hash_table_each(&types->address_table, hash, n) {
		*ret = &types->addresses.items[n];
		if ((*ret)->dso == added.dso && (*ret)->address == added.address)
			return NULL;
	}
	err = look_up_type(types, machine, place, &added);
	if (err)
		return err;
	if (!hash_table_add(&types->address_table, hash, types->addresses.nr) ||
	    !array_push(&types->addresses, added)) {
		free(added.name);
		return &error_no_memory;
	}
	*ret = &types->addresses.items[types->addresses.nr - 1];
	return NULL;
}

/* Append "struct node +0x10 (in.x)". */
static void add_type_offset(const struct typed_address *at, struct strbuf *out)
{
	size_t from;

	strbuf_addf(out, "%s +%#" PRIx64 " (", at->name, at->offset);
	from = out->len;
	type_layout_add_members(at->layout, at->offset, out);
	strbuf_addstr(out, out->len == from ? "no field)" : ")");
}

struct error *histogram_types_add(struct histogram_types *types, enum histogram_key key,
				  const struct session_record *r, struct strbuf *out)
{
	struct place place = { .ip = r->sample.ip };
	const struct typed_address *at;
	struct error *err;

	machine_find(r->machine, r->maps, r->sample.cpumode, r->sample.ip, &place);
	err = find_typed_address(types, r->machine, &place, &at);
	if (err)
		return err;
	if (key == KEY_TYPEOFF && at->layout)
		add_type_offset(at, out);
	else if (key == KEY_TYPECLN && at->layout)
		strbuf_addf(out, "%s: cache-line %" PRIu64, at->name, at->offset / CACHE_LINE);
	else
		strbuf_addstr(out, at->name);
	return NULL;
}
