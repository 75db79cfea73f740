// SPDX-License-Identifier: GPL-2.0
#include "session/map.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

struct map_list {
	size_t users;
	struct map *items;	/* ascending, without overlaps */
	size_t nr, alloc;
};

static uint64_t last_version;

struct error *maps_create(struct maps **ret)
{
	struct maps *maps = calloc(1, sizeof(*maps));

	if (!maps)
		return &error_no_memory;
	maps->users = 1;
	maps->version = ++last_version;
	*ret = maps;
	return NULL;
}

static void list_put(struct map_list *list)
{
	if (!list || --list->users)
		return;
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
	*ret = (struct maps){ .users = 1, .version = from->version, .list = from->list };
	if (ret->list)
		ret->list->users++;
}

void maps_release(struct maps *held)
{
	list_put(held->list);
	*held = (struct maps){ 0 };
}

/* Make the list ours alone, with room for @extra more. */
static struct error *own_list(struct maps *maps, size_t extra)
{
	struct map_list *list = maps->list, *copy;
	size_t nr = list ? list->nr : 0;

	maps->version = ++last_version;
	if (list && list->users == 1 && nr + extra <= list->alloc)
		return NULL;
	copy = calloc(1, sizeof(*copy));
	if (!copy)
		return &error_no_memory;
	*copy = (struct map_list){ .users = 1, .nr = nr, .alloc = nr + nr / 2 + extra + 8 };
	copy->items = malloc(copy->alloc * sizeof(*copy->items));
	if (!copy->items) {
		free(copy);
		return &error_no_memory;
	}
	if (nr)
		memcpy(copy->items, list->items, nr * sizeof(*copy->items));
	list_put(list);
	maps->list = copy;
	return NULL;
}

/* How many begin at or before @address. */
static size_t count_until(const struct map_list *list, uint64_t address)
{
	size_t low = 0, high = list->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list->items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct map *maps_find(const struct maps *maps, uint64_t address)
{
	const struct map *map;
	size_t n;

	if (!maps->list)
		return NULL;
	n = count_until(maps->list, address);
	if (!n)
		return NULL;
	map = &maps->list->items[n - 1];
	return address < map->end ? map : NULL;
}

const struct map *maps_all(const struct maps *maps, size_t *ret_nr)
{
	*ret_nr = maps->list ? maps->list->nr : 0;
	return maps->list ? maps->list->items : NULL;
}

static void insert(struct map_list *list, size_t at, const struct map *map)
{
	memmove(&list->items[at + 1], &list->items[at], (list->nr - at) * sizeof(*map));
	list->items[at] = *map;
	list->nr++;
}

struct error *maps_add(struct maps *maps, const struct map *map)
{
	struct map_list *list;
	struct error *err;
	size_t first, last;

	if (map->end <= map->start)
		return NULL;
	err = own_list(maps, 2);
	if (err)
		return err;
	list = maps->list;
	first = count_until(list, map->start);
	if (first && list->items[first - 1].end > map->start) {
		struct map *before = &list->items[first - 1], after = *before;

		/* It lies inside another one: that one falls in two. */
		if (after.end > map->end) {
			after.offset += map->end - after.start;
			after.start = map->end;
			insert(list, first, &after);
			before = &list->items[first - 1];
		}
		before->end = map->start;
		if (before->end <= before->start)
			first--;
	}
	for (last = first; last < list->nr && list->items[last].end <= map->end; last++)
		;
	if (last < list->nr && list->items[last].start < map->end) {
		list->items[last].offset += map->end - list->items[last].start;
		list->items[last].start = map->end;
	}
	memmove(&list->items[first], &list->items[last], (list->nr - last) * sizeof(*map));
	list->nr -= last - first;
	insert(list, first, map);
	return NULL;
}

struct error *maps_fill(struct maps *maps, const struct map *map)
{
	struct map rest = *map;

	while (rest.start < rest.end) {
		const struct map_list *list = maps->list;
		size_t n = list ? count_until(list, rest.start) : 0;
		struct map part = rest;
		struct error *err;

		if (n && list->items[n - 1].end > rest.start) {
			rest.offset += list->items[n - 1].end - rest.start;
			rest.start = list->items[n - 1].end;
			continue;
		}
		if (list && n < list->nr && list->items[n].start < part.end)
			part.end = list->items[n].start;
		err = maps_add(maps, &part);
		if (err)
			return err;
		rest.offset += part.end - rest.start;
		rest.start = part.end;
	}
	return NULL;
}

struct error *maps_filter(struct maps *maps, bool (*unwanted)(const struct map *map))
{
	struct error *err = own_list(maps, 0);
	size_t kept = 0;

	if (err)
		return err;
	for (size_t i = 0; i < maps->list->nr; i++)
		if (!unwanted(&maps->list->items[i]))
			maps->list->items[kept++] = maps->list->items[i];
	maps->list->nr = kept;
	return NULL;
}
