/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The maps of one process, or of the kernel.  A process begins with a copy of its parent's maps, so
 * the list is shared until one of them changes it.  Finding, adding and removing take logarithmic
 * time in the number of maps, in any order of calls.
 */
#ifndef KTRACE_SESSION_MAP_H
#define KTRACE_SESSION_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "symbol/dso.h"

struct map {
	uint64_t start, end;
	uint64_t offset;	/* offset of start in the dso's file */
	uint32_t prot, flags;	/* as for mmap() */
	bool identity;		/* addresses are looked up unchanged */
	struct dso *dso;	/* borrowed */
};

/* Shared by the threads of a process. */
struct maps {
	size_t users;
	uint64_t id;		/* unique, but held copies of the list share it */
	uint64_t version;	/* changes with each change; equal versions have equal lists */
	struct map_list *list;
};

struct error *maps_create(struct maps **ret);
struct maps *maps_get(struct maps *maps);
void maps_put(struct maps *maps);

/* Make @maps a copy of the current state of @from. */
void maps_copy(struct maps *maps, const struct maps *from);

/*
 * Keep the current maps of @from in @ret, even if @from later changes or is released.  Only the
 * list of maps is held; the binaries in it are still borrowed.  Release it with maps_release(),
 * which also accepts zeroed memory.
 */
void maps_hold(struct maps *ret, const struct maps *from);
void maps_release(struct maps *held);

/* Add a copy of @map, which replaces maps that it overlaps. */
struct error *maps_add(struct maps *maps, const struct map *map);

/* Add the parts of @map that overlap no existing map. */
struct error *maps_fill(struct maps *maps, const struct map *map);

/* Remove the maps for which @unwanted returns true. */
struct error *maps_filter(struct maps *maps, bool (*unwanted)(const struct map *map));

/* Find the map that contains @address; valid until the next change; NULL: none. */
const struct map *maps_find(const struct maps *maps, uint64_t address);

/*
 * Find the first map that ends behind @address; valid until the next change; NULL: none.  To
 * iterate in ascending order, start with 0 and continue with the end of each map.
 */
const struct map *maps_next(const struct maps *maps, uint64_t address);

size_t maps_count(const struct maps *maps);

/* The address by which @address in memory is looked up in the dso. */
static inline uint64_t map_address(const struct map *map, uint64_t address)
{
	return map->identity ? address : address - map->start + map->offset;
}

#endif
