/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The members of a type, from DWARF, each with its offset and size in bytes.
 */
#ifndef KTRACE_SYMBOL_CODE_TYPE_LAYOUT_H
#define KTRACE_SYMBOL_CODE_TYPE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "symbol/code/variables.h"
#include "with/libdw.h"

/* A member, or the type itself, which comes first and has the depth 0. */
struct type_member {
	unsigned int depth;	/* of nesting: the members of this one follow it and are deeper */
	uint64_t offset, size;	/* offset in the whole type */
	char *type;		/* "struct node*", "union"; owned */
	char *name;		/* NULL: it has none; owned */
};

struct type_layout {
	struct type_member *items;	/* at least one */
	size_t nr, alloc;
};

/* NULL: out of memory.  Members that are nested too deep, or exceed a limit, are left out. */
struct type_layout *type_layout_create(Dwarf_Die *type);
void type_layout_destroy(struct type_layout *layout);
DEFINE_CLEANUP_PTR(type_layout, struct type_layout, type_layout_destroy)

/*
 * Append the names of the members that contain @offset, from the outermost to the innermost one
 * that has a name: "in.y".  Nothing is appended if there are none.
 */
void type_layout_add_members(const struct type_layout *layout, uint64_t offset,
			     struct strbuf *out);

/* The size of a type in bytes; 0: not known. */
uint64_t type_layout_size(Dwarf_Die *type);

/*
 * Replace an array, or a typedef or qualifier of one, by the element at the offset.  For another
 * type, only qualifiers are removed.  @scale is the size in bytes that an added index counts, so
 * there must be elements of this size; 0 and 1 give no information.  Returns false if the offset is
 * outside of the type, or in no such element.
 */
bool type_layout_element(struct object_place *place, unsigned int scale);

/* Follow the pointer at the offset; false: there is none. */
bool type_layout_follow(const struct object_place *place, struct object_place *ret);

#endif
