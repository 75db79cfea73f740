// SPDX-License-Identifier: GPL-2.0
#include "calls/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "symbol/demangle.h"
#include "symbol/elf/dwarf_lines.h"

/* The number of recent addresses with a cached place, and its power of two. */
#define RECENT_BITS	16
#define RECENT		(1 << RECENT_BITS)

/* The number of recent contexts, a power of two. */
#define CONTEXTS	64

/* The most functions that are inlined into each other and become frames. */
#define MAX_INLINED	256

/* The number of places of a path that are prefetched at once. */
#define AHEAD	64

/* The meaning of addresses: a mode and a list of maps; equal versions have equal lists. */
struct address_context {
	uint64_t version;
	uint32_t number;	/* 0: free */
	uint8_t mode;
};

struct known_address {
	uint64_t ip;
	uint32_t context;	/* its number; 0: free */
	uint32_t place;
};

struct tree_node {
	uint32_t parent;
	uint32_t place;		/* of a root, its group */
	uint32_t hash;		/* of the places from the root to here */
};

/* Contains the whole key of a node, so that a look-up waits for memory only once. */
struct node_slot {
	uint32_t node;		/* 0: free */
	uint32_t parent;
	uint32_t place;
	uint32_t mark;
};

/* The frames of an unwound address with inlined functions. */
struct inlined_frames {
	const struct dso *dso;
	uint64_t address;
	size_t first, nr;	/* in inlined_places, the innermost first; nr 0: no inlining */
};

struct call_tree {
	bool keeps_addresses;
	/* By hash, in pairs of slots: a new address replaces the older one of its pair. */
	struct known_address *recent;
	struct address_context contexts[CONTEXTS];	/* by hash; new ones replace old */
	uint32_t nr_contexts;		/* the last assigned number */
	ARRAY_OF(struct call_place) places;
	struct hash_table place_table;		/* positions in places */
	ARRAY_OF(struct inlined_frames) inlined;
	struct hash_table inlined_table;	/* positions in inlined */
	ARRAY_OF(uint32_t) inlined_places;
	ARRAY_OF(struct symbol *) symbols;	/* of inlined functions; owned, like their names */
	struct hash_table symbol_table;		/* positions in symbols */
	ARRAY_OF(struct tree_node) nodes;
	struct node_slot *slots;	/* open addressing: nodes by their hashes */
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

/* Find a place equal to @place, or add it; false: out of memory. */
static bool find_or_add_place(struct call_tree *tree, const struct call_place *place, uint32_t *ret)
{
	uint64_t hash = hash_key_join(hash_key_number(place->ip), place->address + place->mode);

	hash = hash_key_join(hash, (uintptr_t)place->dso);
	hash = hash_key_join(hash, (uintptr_t)place->symbol);
	hash_table_each(&tree->place_table, hash, n) {
		const struct call_place *known;

		*ret = n;
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

/* Return the number of the context for addresses in @mode of a process with @maps. */
static uint32_t find_context(struct call_tree *tree, struct machine *machine,
			     const struct maps *maps, uint8_t mode)
{
	const struct maps *list = machine ? machine_maps(machine, maps, mode) : NULL;
	const uint64_t version = list ? list->version : 0;
	const uint64_t hash = hash_key_number(version << 8 | mode);
	struct address_context *context = &tree->contexts[hash & (CONTEXTS - 1)];

	if (context->number && context->version == version && context->mode == mode)
		return context->number;
	/*
	 * A new context gets a new number, so that cached addresses of the replaced one are not
	 * found.
	 */
	if (tree->nr_contexts == UINT32_MAX) {
		memset(tree->recent, 0, RECENT * sizeof(*tree->recent));
		memset(tree->contexts, 0, sizeof(tree->contexts));
		tree->nr_contexts = 0;
	}
	*context = (struct address_context){ version, ++tree->nr_contexts, mode };
	return context->number;
}

static struct known_address *recent_slot(const struct call_tree *tree, uint32_t context,
					 uint64_t ip)
{
	const uint64_t hash = (ip ^ (uint64_t)context << 40 ^ hash_secret) * 0x9e3779b97f4a7c15ULL;

	return &tree->recent[hash >> (64 - RECENT_BITS)];
}

/* Find the place of an address that is not cached, and cache it. */
static struct error *find_new_place(struct call_tree *tree, struct machine *machine,
				    const struct maps *maps, uint8_t mode,
				    const struct known_address *key, uint32_t *ret)
{
	struct known_address *recent = recent_slot(tree, key->context, key->ip);
	struct call_place place = { .ip = key->ip, .mode = mode };
	struct place found = { 0 };

	if (machine)
		machine_find(machine, maps, mode, key->ip, &found);
	if (found.map) {
		place.address = found.address;
		place.dso = found.map->dso;
		place.symbol = found.symbol;
	}
	if (place.symbol && !tree->keeps_addresses)
		place.ip = place.address = 0;
	if (!find_or_add_place(tree, &place, ret))
		return &error_no_memory;
	tree->recent[(recent - tree->recent) ^ 1] = *recent;
	*recent = (struct known_address){ key->ip, key->context, *ret };
	return NULL;
}

static const struct known_address *find_recent(const struct call_tree *tree,
					       const struct known_address *key)
{
	const struct known_address *recent = recent_slot(tree, key->context, key->ip);

	if (recent->ip == key->ip && recent->context == key->context)
		return recent;
	recent = &tree->recent[(recent - tree->recent) ^ 1];
	return recent->ip == key->ip && recent->context == key->context ? recent : NULL;
}

struct error *call_tree_find_place(struct call_tree *tree, struct machine *machine,
				   const struct maps *maps, uint8_t mode, uint64_t ip,
				   uint32_t *ret)
{
	const struct known_address key = {
		.ip = ip, .context = find_context(tree, machine, maps, mode),
	};
	const struct known_address *recent = find_recent(tree, &key);

	if (!recent)
		return find_new_place(tree, machine, maps, mode, &key, ret);
	*ret = recent->place;
	return NULL;
}

struct error *call_tree_find_places(struct call_tree *tree, struct machine *machine,
				    const struct maps *maps, const struct frame *frames,
				    size_t nr, uint32_t *places)
{
	struct known_address keys[AHEAD];
	struct error *err = NULL;

	for (size_t first = 0; first < nr && !err; first += AHEAD) {
		const size_t some = nr - first < AHEAD ? nr - first : AHEAD;
		uint32_t context = 0;

		for (size_t i = 0; i < some; i++) {
			const struct frame *frame = &frames[first + i];

			if (!i || frame->mode != frame[-1].mode)
				context = find_context(tree, machine, maps, frame->mode);
			keys[i] = (struct known_address){ .ip = frame->ip, .context = context };
			__builtin_prefetch(recent_slot(tree, context, frame->ip));
		}
		for (size_t i = 0; i < some && !err; i++) {
			const struct known_address *recent = find_recent(tree, &keys[i]);

			if (recent)
				places[first + i] = recent->place;
			else
				err = find_new_place(tree, machine, maps, frames[first + i].mode,
						     &keys[i], &places[first + i]);
		}
	}
	return err;
}

/*
 * Find or add the symbol of a function that is inlined into the one of @base; NULL: out of memory.
 * The tree owns @name in any case.
 */
static const struct symbol *find_inlined_symbol(struct call_tree *tree, const struct symbol *base,
						char *name)
{
	uint64_t hash = hash_key_join(hash_key_text(name), (uintptr_t)base);
	struct symbol *symbol;

	hash_table_each(&tree->symbol_table, hash, n) {
		symbol = tree->symbols.items[n];
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

/* Find the frames of an address with inlined functions; NULL: out of memory. */
static const struct inlined_frames *find_inlined(struct call_tree *tree, const struct place *place,
						 uint8_t mode)
{
	struct inlined_frames added = { .dso = place->map->dso, .address = place->address,
					.first = tree->inlined_places.nr };
	uint64_t hash = hash_key_join(hash_key_number(added.address), (uintptr_t)added.dso);
	struct source_place sources[MAX_INLINED];
	size_t nr;

	hash_table_each(&tree->inlined_table, hash, n) {
		const struct inlined_frames *known = &tree->inlined.items[n];

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

/* Copy a node's data to the first free one of its slots. */
static void fill_slot(const struct call_tree *tree, struct node_slot *slots, size_t mask,
		      const struct node_slot *filled)
{
	size_t at = tree->nodes.items[filled->node].hash & mask;

	while (slots[at].node)
		at = (at + 1) & mask;
	slots[at] = *filled;
}

static bool grow_slots(struct call_tree *tree)
{
	size_t size = tree->slots ? (tree->mask + 1) * 2 : 1024;
	struct node_slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; tree->slots && i <= tree->mask; i++)
		if (tree->slots[i].node)
			fill_slot(tree, slots, size - 1, &tree->slots[i]);
	free(tree->slots);
	tree->slots = slots;
	tree->mask = size - 1;
	return true;
}

/* Find or add a node; its slot is valid until the next one is added. */
static struct error *find_or_add_node(struct call_tree *tree, uint32_t parent, uint32_t place,
				      uint32_t hash, const struct node_slot **ret)
{
	const struct tree_node key = { parent, place, hash };
	size_t at;

	if (tree->nodes.nr * 2 > tree->mask && !grow_slots(tree))
		return &error_no_memory;
	at = hash & tree->mask;
	for (; tree->slots[at].node; at = (at + 1) & tree->mask) {
		*ret = &tree->slots[at];
		if ((*ret)->parent == parent && (*ret)->place == place)
			return NULL;
	}
	if (tree->nodes.nr == UINT32_MAX || !array_push(&tree->nodes, key))
		return &error_no_memory;
	tree->slots[at] = (struct node_slot){ tree->nodes.nr - 1, parent, place, 0 };
	*ret = &tree->slots[at];
	return NULL;
}

static struct node_slot *slot_of_node(const struct call_tree *tree, uint32_t node)
{
	size_t at = tree->nodes.items[node].hash & tree->mask;

	while (tree->slots[at].node != node)
		at = (at + 1) & tree->mask;
	return &tree->slots[at];
}

static uint32_t call_tree_mark(const struct call_tree *tree, uint32_t node)
{
	return slot_of_node(tree, node)->mark;
}

void call_tree_set_mark(struct call_tree *tree, uint32_t node, uint32_t mark)
{
	slot_of_node(tree, node)->mark = mark;
}

/*
 * A node's hash depends on places alone.  So all slots of a path can be prefetched before the first
 * is needed, and the waits for memory overlap.
 */
static void expect_nodes(const struct call_tree *tree, uint32_t hash, const uint32_t *places,
			 size_t nr, uint32_t *hashes)
{
	for (size_t i = 0; i < nr; i++) {
		hash = hashes[i] = hash_node(hash, places[i]);
		if (tree->slots)
			__builtin_prefetch(&tree->slots[hash & tree->mask]);
	}
}

struct error *call_tree_add_path(struct call_tree *tree, uint32_t parent, const uint32_t *places,
				 size_t nr, uint32_t *ret_nodes, uint32_t *ret_mark)
{
	const struct node_slot *slot = NULL;
	uint32_t hashes[AHEAD];

	for (size_t i = 0; i < nr; i++) {
		const size_t at = i % AHEAD, left = nr - i;
		struct error *err;

		if (!at)
			expect_nodes(tree, tree->nodes.items[parent].hash, places + i,
				     left < AHEAD ? left : AHEAD, hashes);
		err = find_or_add_node(tree, parent, places[i], hashes[at], &slot);
		if (err)
			return err;
		parent = ret_nodes[i] = slot->node;
	}
	*ret_mark = slot ? slot->mark : call_tree_mark(tree, parent);
	return NULL;
}

struct error *call_tree_add(struct call_tree *tree, uint32_t parent, uint32_t place,
			    uint32_t *ret_node)
{
	uint32_t mark;

	return call_tree_add_path(tree, parent, &place, 1, ret_node, &mark);
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
	for (size_t i = 1; i < nr; i++) {
		const struct node_slot slot = { i, nodes[i].parent, nodes[i].place, 0 };

		fill_slot(tree, tree->slots, tree->mask, &slot);
	}
}
