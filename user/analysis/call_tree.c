// SPDX-License-Identifier: GPL-2.0
#include "analysis/call_tree.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"

/* The number of recent addresses whose place is found at once, a power of two. */
#define RECENT	(64 * 1024)

/* An address while something is mapped; equal versions of maps have equal lists. */
struct known_address {
	uint64_t ip, version;
	uint32_t place;
	uint8_t mode;
	bool is_used;
};

/* The parent of roots. */
#define NO_NODE	0

struct tree_node {
	uint32_t parent;
	uint32_t place;		/* of a root, its group */
	uint64_t ip;		/* the first that led here */
};

struct call_tree {
	struct known_address *recent;	/* by hash; a later address replaces an earlier one */
	struct {
		struct call_place *items;
		size_t nr, alloc;
	} places;
	struct hash_table place_table;		/* positions in places */
	struct {
		struct tree_node *items;
		size_t nr, alloc;
	} nodes;
	uint32_t *slots;	/* open addressing: nodes by parent and place; 0: free */
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

void call_tree_destroy(struct call_tree *tree)
{
	if (!tree)
		return;
	free(tree->recent);
	free(tree->places.items);
	hash_table_deinit(&tree->place_table);
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

struct error *call_tree_find_place(struct call_tree *tree, struct machine *machine,
				   const struct maps *maps, uint8_t mode, uint64_t ip,
				   uint32_t *ret)
{
	const struct maps *list = machine ? machine_maps(machine, maps, mode) : NULL;
	struct known_address key = {
		.ip = ip, .version = list ? list->version : 0, .mode = mode, .is_used = true,
	};
	uint64_t hash = hash_key_join(hash_key_number(ip), key.version << 8 | mode);
	struct known_address *recent = &tree->recent[hash & (RECENT - 1)];
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
	if (place.symbol)
		place.ip = place.address = 0;
	if (!find_or_add_place(tree, &place, &key.place))
		return &error_no_memory;
	*recent = key;
	*ret = key.place;
	return NULL;
}

const struct call_place *call_tree_place(const struct call_tree *tree, uint32_t place)
{
	return &tree->places.items[place];
}

static size_t hash_node(const struct tree_node *node)
{
	return hash_key_number((uint64_t)node->parent << 32 | node->place);
}

static bool grow_slots(struct call_tree *tree)
{
	size_t size = tree->slots ? (tree->mask + 1) * 2 : 1024;
	uint32_t *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 1; i < tree->nodes.nr; i++) {
		size_t at = hash_node(&tree->nodes.items[i]) & (size - 1);

		while (slots[at])
			at = (at + 1) & (size - 1);
		slots[at] = i;
	}
	free(tree->slots);
	tree->slots = slots;
	tree->mask = size - 1;
	return true;
}

struct error *call_tree_add(struct call_tree *tree, uint32_t parent, uint32_t place, uint64_t ip,
			    uint32_t *ret_node)
{
	const struct tree_node key = { parent, place, ip };
	size_t at;

	if (tree->nodes.nr * 2 > tree->mask && !grow_slots(tree))
		return &error_no_memory;
	at = hash_node(&key) & tree->mask;
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

struct error *call_tree_add_root(struct call_tree *tree, uint32_t group, uint32_t *ret_node)
{
	return call_tree_add(tree, NO_NODE, group, 0, ret_node);
}

size_t call_tree_nodes(const struct call_tree *tree)
{
	return tree->nodes.nr;
}

uint32_t call_tree_node_place(const struct call_tree *tree, uint32_t node)
{
	return tree->nodes.items[node].place;
}

uint64_t call_tree_node_ip(const struct call_tree *tree, uint32_t node)
{
	return tree->nodes.items[node].ip;
}

size_t call_tree_path(const struct call_tree *tree, uint32_t node, uint32_t *nodes, size_t max)
{
	const struct tree_node *items = tree->nodes.items;
	size_t nr = 0, at;

	for (uint32_t n = node; items[n].parent != NO_NODE; n = items[n].parent)
		nr++;
	at = nr;
	for (uint32_t n = node; items[n].parent != NO_NODE; n = items[n].parent)
		if (--at < max)
			nodes[at] = n;
	return nr;
}
