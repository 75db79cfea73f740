// SPDX-License-Identifier: GPL-2.0
#include "analysis/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "symbol/demangle.h"
#include "symbol/dwarf_lines.h"

/* The number of recent addresses whose place is found at once, a power of two. */
#define RECENT	(64 * 1024)

/* The most functions that are inlined into each other and become frames. */
#define MAX_INLINED	256

/* So many nodes of a path are fetched from memory at once. */
#define AHEAD	64

/* An address while something is mapped; equal versions of maps have equal lists. */
struct known_address {
	uint64_t ip, version;
	uint32_t place;
	uint8_t mode;
	bool is_used;
};

struct tree_node {
	uint32_t parent;
	uint32_t place;		/* of a root, its group */
	uint32_t hash;		/* of the places from the root to here */
};

/* The frames of an unwound address where functions are inlined. */
struct inlined_frames {
	const struct dso *dso;
	uint64_t address;
	size_t first, nr;	/* in inlined_places, the innermost first; nr 0: none is inlined */
};

struct call_tree {
	bool keeps_addresses;
	struct known_address *recent;	/* by hash; a later address replaces an earlier one */
	struct {
		struct call_place *items;
		size_t nr, alloc;
	} places;
	struct hash_table place_table;		/* positions in places */
	struct {
		struct inlined_frames *items;
		size_t nr, alloc;
	} inlined;
	struct hash_table inlined_table;	/* positions in inlined */
	struct {
		uint32_t *items;
		size_t nr, alloc;
	} inlined_places;
	struct {
		struct symbol **items;		/* of inlined functions; owned, like their names */
		size_t nr, alloc;
	} symbols;
	struct hash_table symbol_table;		/* positions in symbols */
	struct {
		struct tree_node *items;
		size_t nr, alloc;
	} nodes;
	uint32_t *slots;	/* open addressing: nodes by their hashes; 0: free */
	size_t mask;
};

struct error *call_tree_create(struct call_tree **ret)
{
	_cleanup_(call_tree) struct call_tree *tree = calloc(1, sizeof(*tree));
	const struct tree_node none = { 0 };

	if (!tree || !array_push(&tree->nodes, none))
		return &error_no_memory;
	tree->recent = calloc(RECENT, sizeof(*tree->recent));
	if (!tree->recent)
		return &error_no_memory;
	*ret = take_ptr(tree);
	return NULL;
}

void call_tree_keep_addresses(struct call_tree *tree)
{
	tree->keeps_addresses = true;
}

void call_tree_destroy(struct call_tree *tree)
{
	if (!tree)
		return;
	free(tree->recent);
	free(tree->places.items);
	hash_table_deinit(&tree->place_table);
	free(tree->inlined.items);
	hash_table_deinit(&tree->inlined_table);
	free(tree->inlined_places.items);
	for (size_t i = 0; i < tree->symbols.nr; i++) {
		free((char *)tree->symbols.items[i]->name);
		free(tree->symbols.items[i]);
	}
	free(tree->symbols.items);
	hash_table_deinit(&tree->symbol_table);
	free(tree->nodes.items);
	free(tree->slots);
	free(tree);
}

/* Find the place that is like @place, or add it; false: out of memory. */
static bool find_or_add_place(struct call_tree *tree, const struct call_place *place, uint32_t *ret)
{
	uint64_t hash = hash_key_join(hash_key_number(place->ip), place->address + place->mode);
	size_t at;

	hash = hash_key_join(hash, (uintptr_t)place->dso);
	hash = hash_key_join(hash, (uintptr_t)place->symbol);
	for (bool more = hash_table_first(&tree->place_table, hash, &at); more;
	     more = hash_table_next(&tree->place_table, &at)) {
		const struct call_place *known;

		*ret = hash_table_value(&tree->place_table, at);
		known = &tree->places.items[*ret];
		if (known->ip == place->ip && known->address == place->address &&
		    known->dso == place->dso && known->symbol == place->symbol &&
		    known->mode == place->mode)
			return true;
	}
	*ret = tree->places.nr;
	return tree->places.nr < UINT32_MAX &&
	       hash_table_add(&tree->place_table, hash, tree->places.nr) &&
	       array_push(&tree->places, *place);
}

static bool is_known(const struct known_address *known, const struct known_address *key)
{
	return known->is_used && known->ip == key->ip && known->version == key->version &&
	       known->mode == key->mode;
}

/* Make the key of an address, and find where it is if it came recently. */
static struct known_address *find_recent(const struct call_tree *tree, struct machine *machine,
					 const struct maps *maps, uint8_t mode, uint64_t ip,
					 struct known_address *ret_key)
{
	const struct maps *list = machine ? machine_maps(machine, maps, mode) : NULL;
	uint64_t hash;

	*ret_key = (struct known_address){
		.ip = ip, .version = list ? list->version : 0, .mode = mode, .is_used = true,
	};
	hash = hash_key_number((ret_key->version << 8 | mode) * 0x9e3779b97f4a7c15ULL ^ ip);
	return &tree->recent[hash & (RECENT - 1)];
}

void call_tree_expect_place(const struct call_tree *tree, struct machine *machine,
			    const struct maps *maps, uint8_t mode, uint64_t ip)
{
	struct known_address key;

	__builtin_prefetch(find_recent(tree, machine, maps, mode, ip, &key));
}

struct error *call_tree_find_place(struct call_tree *tree, struct machine *machine,
				   const struct maps *maps, uint8_t mode, uint64_t ip,
				   uint32_t *ret)
{
	struct known_address key;
	struct known_address *recent = find_recent(tree, machine, maps, mode, ip, &key);
	struct call_place place = { .ip = ip, .mode = mode };
	struct place found = { 0 };

	if (is_known(recent, &key)) {
		*ret = recent->place;
		return NULL;
	}
	if (machine)
		machine_find(machine, maps, mode, ip, &found);
	if (found.map) {
		place.address = found.address;
		place.dso = found.map->dso;
		place.symbol = found.symbol;
	}
	if (place.symbol && !tree->keeps_addresses)
		place.ip = place.address = 0;
	if (!find_or_add_place(tree, &place, &key.place))
		return &error_no_memory;
	*recent = key;
	*ret = key.place;
	return NULL;
}

/*
 * Find or add the symbol of a function that is inlined into the one of @base; NULL: out of
 * memory.  @name becomes the tree's in any case.
 */
static const struct symbol *find_inlined_symbol(struct call_tree *tree, const struct symbol *base,
						char *name)
{
	uint64_t hash = hash_key_join(hash_key_text(name), (uintptr_t)base);
	struct symbol *symbol;
	size_t at;

	for (bool more = hash_table_first(&tree->symbol_table, hash, &at); more;
	     more = hash_table_next(&tree->symbol_table, &at)) {
		symbol = tree->symbols.items[hash_table_value(&tree->symbol_table, at)];
		if (symbol->start == base->start && symbol->part == base->part &&
		    !strcmp(symbol->name, name)) {
			free(name);
			return symbol;
		}
	}
	symbol = malloc(sizeof(*symbol));
	if (symbol) {
		*symbol = *base;
		symbol->name = name;
		symbol->inlined = true;
	}
	if (!symbol || !hash_table_add(&tree->symbol_table, hash, tree->symbols.nr) ||
	    !array_push(&tree->symbols, symbol)) {
		free(symbol);
		free(name);
		return NULL;
	}
	return symbol;
}

/* Add a function at an address to the list of its frames. */
static bool add_inlined_place(struct call_tree *tree, const struct place *place, uint8_t mode,
			      const struct source_place *source)
{
	struct call_place added = {
		.dso = place->map->dso, .mode = mode,
		.ip = tree->keeps_addresses ? place->ip : 0,
		.address = tree->keeps_addresses ? place->address : 0,
	};
	char *name = source->function ? demangle(source->function) : NULL;
	uint32_t number;

	if (!name)
		name = strdup(source->function ? source->function : "??");
	if (!name)
		return false;
	if (!strcmp(name, place->symbol->name)) {
		free(name);
		added.symbol = place->symbol;
	} else {
		added.symbol = find_inlined_symbol(tree, place->symbol, name);
	}
	return added.symbol && find_or_add_place(tree, &added, &number) &&
	       array_push(&tree->inlined_places, number);
}

/* Find the frames of an address where functions are inlined; NULL: out of memory. */
static const struct inlined_frames *find_inlined(struct call_tree *tree, const struct place *place,
						 uint8_t mode)
{
	struct inlined_frames added = { .dso = place->map->dso, .address = place->address,
					.first = tree->inlined_places.nr };
	uint64_t hash = hash_key_join(hash_key_number(added.address), (uintptr_t)added.dso);
	struct source_place sources[MAX_INLINED];
	size_t nr, at;

	for (bool more = hash_table_first(&tree->inlined_table, hash, &at); more;
	     more = hash_table_next(&tree->inlined_table, &at)) {
		const struct inlined_frames *known;

		known = &tree->inlined.items[hash_table_value(&tree->inlined_table, at)];
		if (known->dso == added.dso && known->address == added.address)
			return known;
	}
	nr = machine_sources(place, sources, MAX_INLINED);
	if (nr && sources[0].function)
		added.nr = nr;
	for (size_t i = 0; i < added.nr; i++)
		if (!add_inlined_place(tree, place, mode, &sources[i]))
			return NULL;
	if (!hash_table_add(&tree->inlined_table, hash, tree->inlined.nr) ||
	    !array_push(&tree->inlined, added))
		return NULL;
	return &tree->inlined.items[tree->inlined.nr - 1];
}

struct error *call_tree_find_frame(struct call_tree *tree, struct machine *machine,
				   const struct maps *maps, const struct frame *frame,
				   uint32_t *places, size_t max, size_t *ret_nr)
{
	const struct inlined_frames *inlined;
	struct place place = { .map = NULL };

	*ret_nr = 0;
	if (!max)
		return NULL;
	if (frame->unwound && machine)
		machine_find(machine, maps, frame->mode, frame->ip, &place);
	if (!place.map || !place.symbol) {
		*ret_nr = 1;
		return call_tree_find_place(tree, machine, maps, frame->mode, frame->ip, places);
	}
	inlined = find_inlined(tree, &place, frame->mode);
	if (!inlined)
		return &error_no_memory;
	if (!inlined->nr) {
		*ret_nr = 1;
		return call_tree_find_place(tree, machine, maps, frame->mode, frame->ip, places);
	}
	*ret_nr = inlined->nr < max ? inlined->nr : max;
	memcpy(places, &tree->inlined_places.items[inlined->first], *ret_nr * sizeof(*places));
	return NULL;
}

const struct call_place *call_tree_place(const struct call_tree *tree, uint32_t place)
{
	return &tree->places.items[place];
}

static uint32_t hash_node(uint32_t parent_hash, uint32_t place)
{
	return hash_key_number((uint64_t)parent_hash << 32 | place);
}

/* Put all nodes into @slots, which are free. */
static void fill_slots(const struct call_tree *tree, uint32_t *slots, size_t mask)
{
	for (size_t i = 1; i < tree->nodes.nr; i++) {
		size_t at = tree->nodes.items[i].hash & mask;

		while (slots[at])
			at = (at + 1) & mask;
		slots[at] = i;
	}
}

static bool grow_slots(struct call_tree *tree)
{
	size_t size = tree->slots ? (tree->mask + 1) * 2 : 1024;
	uint32_t *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return false;
	fill_slots(tree, slots, size - 1);
	free(tree->slots);
	tree->slots = slots;
	tree->mask = size - 1;
	return true;
}

static struct error *find_or_add_node(struct call_tree *tree, uint32_t parent, uint32_t place,
				      uint32_t hash, uint32_t *ret_node)
{
	const struct tree_node key = { parent, place, hash };
	size_t at;

	/* The node that was added next is mostly the first child, and near at hand. */
	if (parent + 1 < tree->nodes.nr && tree->nodes.items[parent + 1].parent == parent &&
	    tree->nodes.items[parent + 1].place == place) {
		*ret_node = parent + 1;
		return NULL;
	}
	if (tree->nodes.nr * 2 > tree->mask && !grow_slots(tree))
		return &error_no_memory;
	at = hash & tree->mask;
	for (; tree->slots[at]; at = (at + 1) & tree->mask) {
		const struct tree_node *node = &tree->nodes.items[tree->slots[at]];

		if (node->parent == parent && node->place == place) {
			*ret_node = tree->slots[at];
			return NULL;
		}
	}
	if (tree->nodes.nr == UINT32_MAX || !array_push(&tree->nodes, key))
		return &error_no_memory;
	tree->slots[at] = tree->nodes.nr - 1;
	*ret_node = tree->nodes.nr - 1;
	return NULL;
}

/*
 * A node's hash depends on places alone.  So all slots of a path can be asked for before the
 * first of them is needed, and then all nodes: memory answers them together.
 */
static void expect_nodes(const struct call_tree *tree, uint32_t hash, const uint32_t *places,
			 size_t nr, uint32_t *hashes)
{
	for (size_t i = 0; i < nr; i++) {
		hash = hashes[i] = hash_node(hash, places[i]);
		if (tree->slots)
			__builtin_prefetch(&tree->slots[hash & tree->mask]);
	}
	for (size_t i = 0; i < nr && tree->slots; i++)
		__builtin_prefetch(&tree->nodes.items[tree->slots[hashes[i] & tree->mask]]);
}

struct error *call_tree_add_path(struct call_tree *tree, uint32_t parent, const uint32_t *places,
				 size_t nr, uint32_t *ret_nodes)
{
	uint32_t hashes[AHEAD];

	for (size_t i = 0; i < nr; i++) {
		const size_t at = i % AHEAD, left = nr - i;
		struct error *err;

		if (!at)
			expect_nodes(tree, tree->nodes.items[parent].hash, places + i,
				     left < AHEAD ? left : AHEAD, hashes);
		err = find_or_add_node(tree, parent, places[i], hashes[at], &ret_nodes[i]);
		if (err)
			return err;
		parent = ret_nodes[i];
	}
	return NULL;
}

struct error *call_tree_add(struct call_tree *tree, uint32_t parent, uint32_t place,
			    uint32_t *ret_node)
{
	return call_tree_add_path(tree, parent, &place, 1, ret_node);
}

struct error *call_tree_add_root(struct call_tree *tree, uint32_t group, uint32_t *ret_node)
{
	return call_tree_add(tree, CALL_TREE_NONE, group, ret_node);
}

size_t call_tree_nodes(const struct call_tree *tree)
{
	return tree->nodes.nr;
}

uint32_t call_tree_node_place(const struct call_tree *tree, uint32_t node)
{
	return tree->nodes.items[node].place;
}

uint32_t call_tree_parent(const struct call_tree *tree, uint32_t node)
{
	return tree->nodes.items[node].parent;
}

size_t call_tree_path(const struct call_tree *tree, uint32_t node, uint32_t *nodes, size_t max)
{
	const struct tree_node *items = tree->nodes.items;
	size_t nr = 0, at;

	for (uint32_t n = node; items[n].parent != CALL_TREE_NONE; n = items[n].parent)
		nr++;
	at = nr;
	for (uint32_t n = node; items[n].parent != CALL_TREE_NONE; n = items[n].parent)
		if (--at < max)
			nodes[at] = n;
	return nr;
}

void call_tree_keep(struct call_tree *tree, uint32_t *numbers)
{
	struct tree_node *nodes = tree->nodes.items;
	size_t nr = 1;

	for (size_t i = 1; i < tree->nodes.nr; i++) {
		if (!numbers[i])
			continue;
		numbers[i] = nr;
		nodes[nr] = nodes[i];
		nodes[nr].parent = numbers[nodes[i].parent];
		nr++;
	}
	tree->nodes.nr = nr;
	if (!tree->slots)
		return;
	memset(tree->slots, 0, (tree->mask + 1) * sizeof(*tree->slots));
	fill_slots(tree, tree->slots, tree->mask);
}
