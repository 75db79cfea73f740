// SPDX-License-Identifier: GPL-2.0
#include "session/map.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

/*
 * A leaf holds a few neighbouring maps, and a list holds the leaves, so that an insertion
 * moves the rest of one leaf and not all further maps.  The lists of parents and children
 * share the leaves that neither has changed.
 */
#define LEAF_MAPS	64

struct leaf {
	size_t users;
	size_t nr, alloc;
	struct map items[];	/* ascending, without overlaps */
};

struct map_list {
	size_t users;
	struct leaf **items;	/* ascending; none is empty */
	size_t nr, alloc;
	size_t nr_maps;
};

/* A map in a list.  The end of the list has leaf == list->nr. */
struct position {
	size_t leaf, item;
};

static uint64_t last_version;

struct error *maps_create(struct maps **ret)
{
	struct maps *maps = calloc(1, sizeof(*maps));

	if (!maps)
		return &error_no_memory;
	maps->users = 1;
	maps->id = maps->version = ++last_version;
	*ret = maps;
	return NULL;
}

static void leaf_put(struct leaf *leaf)
{
	if (!--leaf->users)
		free(leaf);
}

static void list_put(struct map_list *list)
{
	if (!list || --list->users)
		return;
	for (size_t i = 0; i < list->nr; i++)
		leaf_put(list->items[i]);
	free(list->items);
	free(list);
}

struct maps *maps_get(struct maps *maps)
{
	maps->users++;
	return maps;
}

void maps_put(struct maps *maps)
{
	if (!maps || --maps->users)
		return;
	list_put(maps->list);
	free(maps);
}

void maps_copy(struct maps *maps, const struct maps *from)
{
	if (from->list)
		from->list->users++;
	list_put(maps->list);
	maps->list = from->list;
	maps->version = ++last_version;
}

void maps_hold(struct maps *ret, const struct maps *from)
{
	*ret = (struct maps){ .users = 1, .id = from->id, .version = from->version,
			      .list = from->list };
	if (ret->list)
		ret->list->users++;
}

void maps_release(struct maps *held)
{
	list_put(held->list);
	*held = (struct maps){ 0 };
}

/* Make the list exclusively ours; its leaves stay shared. */
static struct error *own_list(struct maps *maps)
{
	struct map_list *list = maps->list, *copy;

	maps->version = ++last_version;
	if (list && list->users == 1)
		return NULL;
	copy = calloc(1, sizeof(*copy));
	if (!copy)
		return &error_no_memory;
	copy->users = 1;
	for (size_t i = 0; list && i < list->nr; i++) {
		if (!array_push(copy, list->items[i])) {
			list_put(copy);
			return &error_no_memory;
		}
		list->items[i]->users++;
		copy->nr_maps += list->items[i]->nr;
	}
	list_put(list);
	maps->list = copy;
	return NULL;
}

/* Make a leaf exclusively ours, with room for @extra more maps; NULL: out of memory. */
static struct leaf *own_leaf(struct map_list *list, size_t n, size_t extra)
{
	struct leaf *leaf = list->items[n], *copy;
	size_t alloc = leaf->nr + extra;

	if (leaf->users == 1 && alloc <= leaf->alloc)
		return leaf;
	alloc += alloc / 2;
	if (alloc > LEAF_MAPS)
		alloc = LEAF_MAPS;
	copy = malloc(sizeof(*copy) + alloc * sizeof(*copy->items));
	if (!copy)
		return NULL;
	*copy = (struct leaf){ .users = 1, .nr = leaf->nr, .alloc = alloc };
	memcpy(copy->items, leaf->items, leaf->nr * sizeof(*copy->items));
	leaf_put(leaf);
	list->items[n] = copy;
	return copy;
}

/* Add an empty leaf as number @n, which the caller must fill. */
static struct leaf *add_leaf(struct map_list *list, size_t n, size_t alloc)
{
	struct leaf *leaf = calloc(1, sizeof(*leaf) + alloc * sizeof(*leaf->items));

	if (!leaf || !array_push(list, leaf)) {
		free(leaf);
		return NULL;
	}
	leaf->users = 1;
	leaf->alloc = alloc;
	memmove(&list->items[n + 1], &list->items[n], (list->nr - 1 - n) * sizeof(leaf));
	list->items[n] = leaf;
	return leaf;
}

/* Find the first map that begins behind @address. */
static struct position position_behind(const struct map_list *list, uint64_t address)
{
	size_t nr = array_count_while(list->nr, i, list->items[i]->items[0].start <= address);
	struct position at;

	if (!nr)
		return (struct position){ 0, 0 };
	at.leaf = nr - 1;
	at.item = array_count_until(list->items[at.leaf], start, address);
	if (at.item == list->items[at.leaf]->nr)
		at = (struct position){ at.leaf + 1, 0 };
	return at;
}

/* The map at a position; NULL: the end. */
static const struct map *map_at(const struct map_list *list, struct position at)
{
	return at.leaf < list->nr ? &list->items[at.leaf]->items[at.item] : NULL;
}

/* Step to the map before; false: there is none. */
static bool step_back(const struct map_list *list, struct position *at)
{
	if (at->item) {
		at->item--;
		return true;
	}
	if (!at->leaf)
		return false;
	at->leaf--;
	at->item = list->items[at->leaf]->nr - 1;
	return true;
}

const struct map *maps_next(const struct maps *maps, uint64_t address)
{
	struct position at, before;

	if (!maps->list)
		return NULL;
	before = at = position_behind(maps->list, address);
	if (step_back(maps->list, &before) && map_at(maps->list, before)->end > address)
		return map_at(maps->list, before);
	return map_at(maps->list, at);
}

const struct map *maps_find(const struct maps *maps, uint64_t address)
{
	const struct map *map = maps_next(maps, address);

	return map && map->start <= address ? map : NULL;
}

size_t maps_count(const struct maps *maps)
{
	return maps->list ? maps->list->nr_maps : 0;
}

/* Split the full leaf of @at; @at is adjusted. */
static bool map_split(struct map_list *list, struct position *at)
{
	struct leaf *leaf, *rest;
	size_t kept;

	/*
	 * If addresses only increase, or only decrease, start a new leaf, so that the other leaves
	 * stay full.
	 */
	if (at->item == LEAF_MAPS || !at->item) {
		at->leaf += at->item == LEAF_MAPS;
		at->item = 0;
		return add_leaf(list, at->leaf, 4);
	}
	kept = LEAF_MAPS / 2;
	leaf = own_leaf(list, at->leaf, 0);
	rest = leaf ? add_leaf(list, at->leaf + 1, LEAF_MAPS) : NULL;
	if (!rest)
		return false;
	rest->nr = leaf->nr - kept;
	memcpy(rest->items, &leaf->items[kept], rest->nr * sizeof(*rest->items));
	leaf->nr = kept;
	if (at->item > kept)
		*at = (struct position){ at->leaf + 1, at->item - kept };
	return true;
}

/* Insert a map before the one at @at. */
static struct error *map_insert(struct map_list *list, struct position at, const struct map *map)
{
	struct leaf *leaf;

	if (!list->nr && !add_leaf(list, 0, 4))
		return &error_no_memory;
	/* The end of the previous leaf is the same position. */
	if (!at.item && at.leaf &&
	    (at.leaf == list->nr || list->items[at.leaf - 1]->nr < LEAF_MAPS)) {
		at.leaf--;
		at.item = list->items[at.leaf]->nr;
	}
	if (list->items[at.leaf]->nr == LEAF_MAPS && !map_split(list, &at))
		return &error_no_memory;
	leaf = own_leaf(list, at.leaf, 1);
	if (!leaf)
		return &error_no_memory;
	memmove(&leaf->items[at.item + 1], &leaf->items[at.item],
		(leaf->nr - at.item) * sizeof(*map));
	leaf->items[at.item] = *map;
	leaf->nr++;
	list->nr_maps++;
	return NULL;
}

/*
 * Remove the map at @at, which is then the position of its successor.  If the map was the last of
 * its leaf, @at is not advanced to the next leaf.
 */
static struct error *remove_at(struct map_list *list, struct position at)
{
	struct leaf *leaf = own_leaf(list, at.leaf, 0);

	if (!leaf)
		return &error_no_memory;
	leaf->nr--;
	list->nr_maps--;
	memmove(&leaf->items[at.item], &leaf->items[at.item + 1],
		(leaf->nr - at.item) * sizeof(*leaf->items));
	if (leaf->nr)
		return NULL;
	leaf_put(leaf);
	list->nr--;
	memmove(&list->items[at.leaf], &list->items[at.leaf + 1],
		(list->nr - at.leaf) * sizeof(leaf));
	return NULL;
}

static struct error *map_set(struct map_list *list, struct position at, const struct map *map)
{
	struct leaf *leaf = own_leaf(list, at.leaf, 0);

	if (!leaf)
		return &error_no_memory;
	leaf->items[at.item] = *map;
	return NULL;
}

/* The rest of @map, from @start on. */
static struct map rest_of(const struct map *map, uint64_t start)
{
	struct map rest = *map;

	rest.offset += start - rest.start;
	rest.start = start;
	return rest;
}

/*
 * Cut the map that begins before @start so that it ends there.  If it extends beyond @end, the part
 * behind @end becomes a map of its own.
 */
static struct error *cut_before(struct map_list *list, uint64_t start, uint64_t end)
{
	struct position at = position_behind(list, start);
	struct error *err = NULL;
	struct map before, after;

	if (!step_back(list, &at) || map_at(list, at)->end <= start)
		return NULL;
	before = *map_at(list, at);
	if (before.end > end) {
		after = rest_of(&before, end);
		err = map_insert(list, position_behind(list, start), &after);
	}
	/* The insertion may have split a leaf, so the position is looked up again. */
	at = position_behind(list, start);
	step_back(list, &at);
	before.end = start;
	if (err)
		return err;
	return before.start < start ? map_set(list, at, &before) : remove_at(list, at);
}

struct error *maps_add(struct maps *maps, const struct map *map)
{
	struct error *err;

	if (map->end <= map->start)
		return NULL;
	err = own_list(maps);
	if (!err)
		err = cut_before(maps->list, map->start, map->end);
	while (!err) {
		struct position at = position_behind(maps->list, map->start);
		const struct map *next = map_at(maps->list, at);
		struct map rest;

		if (!next || next->start >= map->end)
			return map_insert(maps->list, at, map);
		if (next->end <= map->end) {
			err = remove_at(maps->list, at);
			continue;
		}
		rest = rest_of(next, map->end);
		err = map_set(maps->list, at, &rest);
	}
	return err;
}

struct error *maps_fill(struct maps *maps, const struct map *map)
{
	struct map rest = *map;

	while (rest.start < rest.end) {
		const struct map *next = maps_next(maps, rest.start);
		struct map part = rest;
		struct error *err;

		if (next && next->start <= rest.start) {
			rest = rest_of(&rest, next->end);
			continue;
		}
		if (next && next->start < part.end)
			part.end = next->start;
		err = maps_add(maps, &part);
		if (err)
			return err;
		rest = rest_of(&rest, part.end);
	}
	return NULL;
}

struct error *maps_filter(struct maps *maps, bool (*unwanted)(const struct map *map))
{
	struct maps kept = { .list = NULL };
	const struct map *map = maps_next(maps, 0);
	struct error *err = NULL;

	for (; map && !err; map = maps_next(maps, map->end))
		if (!unwanted(map))
			err = maps_add(&kept, map);
	if (err) {
		list_put(kept.list);
		return err;
	}
	list_put(maps->list);
	maps->list = kept.list;
	maps->version = ++last_version;
	return NULL;
}
