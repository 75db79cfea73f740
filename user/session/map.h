/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is mapped where: of one process, or of the kernel.  Processes begin as
 * copies of their parents, so what is mapped is shared until one of them changes it.
 * Finding, adding and taking out need time that grows with the logarithm of the
 * number of maps, in whichever order they come.
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
	uint64_t offset;	/* of start in the dso's file */
	bool identity;		/* addresses are looked up as they are */
	struct dso *dso;	/* borrowed */
};

/* Shared by the threads of a process. */
struct maps {
	size_t users;
	uint64_t id;		/* no other maps ever have it, but what holds their list */
	uint64_t version;	/* another one after each change; equal ones have equal lists */
	struct map_list *list;
};

struct error *maps_create(struct maps **ret);
struct maps *maps_get(struct maps *maps);
void maps_put(struct maps *maps);
DEFINE_CLEANUP_PTR(maps, struct maps, maps_put)

/* As @from has them now. */
void maps_copy(struct maps *maps, const struct maps *from);

/*
 * @ret shows what is mapped in @from now, whatever becomes of @from later: it may
 * change, or go away.  Only the list of maps is held; the binaries in it are still
 * borrowed.  maps_release() ends it, also of zeroed memory.
 */
void maps_hold(struct maps *ret, const struct maps *from);
void maps_release(struct maps *held);

/* Add a copy of @map, which takes the place of what it overlaps. */
struct error *maps_add(struct maps *maps, const struct map *map);

/* Add parts of @map where nothing is mapped yet. */
struct error *maps_fill(struct maps *maps, const struct map *map);

/* Take out what @unwanted says yes to. */
struct error *maps_filter(struct maps *maps, bool (*unwanted)(const struct map *map));

/* The one around @address, until the next change; NULL: none. */
const struct map *maps_find(const struct maps *maps, uint64_t address);

/*
 * The first one that ends behind @address, until the next change; NULL: none.
 * Beginning at 0 and going on with the end of each gives all, ascending.
 */
const struct map *maps_next(const struct maps *maps, uint64_t address);

size_t maps_count(const struct maps *maps);

/* The address to look up in the dso for @address in memory. */
static inline uint64_t map_address(const struct map *map, uint64_t address)
{
	return map->identity ? address : address - map->start + map->offset;
}

#endif
