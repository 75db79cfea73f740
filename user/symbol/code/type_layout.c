// SPDX-License-Identifier: GPL-2.0
#include "symbol/code/type_layout.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "symbol/code/type_name.h"
#include "symbol/elf/dies.h"
#include "with/libdw.h"

#define MEMBERS_MAX	4096
#define DEPTH_MAX	16

void type_layout_destroy(struct type_layout *layout)
{
	if (!layout)
		return;
	for (size_t i = 0; i < layout->nr; i++) {
		free(layout->items[i].type);
		free(layout->items[i].name);
	}
	free(layout->items);
	free(layout);
}

static bool is_aggregate(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

static bool layout_size(Dwarf_Die *type, uint64_t *ret)
{
	Dwarf_Word size;

	if (dwarf_aggregate_size(type, &size))
		return false;
	*ret = size;
	return true;
}

/* Find the offset of a member in its type; false: it is no member, or only code computes it. */
static bool layout_member_offset(Dwarf_Die *die, uint64_t *ret)
{
	int tag = dwarf_tag(die);
	uint64_t bits;

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
	    dwarf_hasattr(die, DW_AT_external))
		return false;
	if (dwarf_hasattr(die, DW_AT_data_member_location) ||
	    !dies_number(die, DW_AT_data_bit_offset, &bits))
		return dies_member_offset(die, ret);
	*ret = bits / 8;
	return true;
}

/* A struct without a name is shown by its kind. */
static char *shown_type(Dwarf_Die *type)
{
	struct strbuf name = STRBUF_INIT;
	int tag = dwarf_tag(type);

	if (is_aggregate(type) && !dwarf_diename(type))
		strbuf_addstr(&name, tag == DW_TAG_union_type ? "union" : "struct");
	else
		type_name_add(type, &name);
	if (!name.failed)
		return name.data;
	strbuf_deinit(&name);
	return NULL;
}

static bool add_type_member(struct type_layout *layout, Dwarf_Die *type, const char *name,
		       uint64_t offset, unsigned int depth)
{
	struct type_member member = { .depth = depth, .offset = offset };
	Dwarf_Die peeled, child;

	if (dwarf_peel_type(type, &peeled))
		peeled = *type;
	layout_size(&peeled, &member.size);
	member.type = shown_type(type);
	member.name = name ? strdup(name) : NULL;
	if (!member.type || (name && !member.name) || !array_push(layout, member)) {
		free(member.type);
		free(member.name);
		return false;
	}
	if (!is_aggregate(&peeled) || depth >= DEPTH_MAX || dwarf_child(&peeled, &child))
		return true;
	do {
		uint64_t at;
		Dwarf_Die inner;

		if (layout->nr >= MEMBERS_MAX)
			return true;
		if (!layout_member_offset(&child, &at) || !dies_declared_type(&child, &inner))
			continue;
		if (!add_type_member(layout, &inner, dwarf_diename(&child), offset + at, depth + 1))
			return false;
	} while (!dwarf_siblingof(&child, &child));
	return true;
}

struct type_layout *type_layout_create(Dwarf_Die *type)
{
	_cleanup_(type_layout) struct type_layout *layout = calloc(1, sizeof(*layout));

	if (!layout || !add_type_member(layout, type, NULL, 0, 0))
		return NULL;
	return_ptr(layout);
}

void type_layout_add_members(const struct type_layout *layout, uint64_t offset,
			     struct strbuf *out)
{
	unsigned int depth = 1;
	bool any = false;

	for (size_t i = 1; i < layout->nr && layout->items[i].depth >= depth; i++) {
		const struct type_member *member = &layout->items[i];

		if (member->depth != depth || offset < member->offset ||
		    offset - member->offset >= member->size)
			continue;
		/* The members of this one follow it; a struct or union need not have a name. */
		if (member->name)
			strbuf_addf(out, "%s%s", any ? "." : "", member->name);
		any |= member->name != NULL;
		depth++;
	}
}

uint64_t type_layout_size(Dwarf_Die *type)
{
	Dwarf_Die peeled;
	uint64_t size;

	return !dwarf_peel_type(type, &peeled) && layout_size(&peeled, &size) ? size : 0;
}

/* Replace an array by its element type, and the offset by the one in the element. */
static bool enter_array(Dwarf_Die *array, uint64_t *offset, Dwarf_Die *ret)
{
	Dwarf_Die peeled;
	uint64_t size;

	if (!dies_declared_type(array, ret) || dwarf_peel_type(ret, &peeled) ||
	    !layout_size(&peeled, &size) || !size)
		return false;
	*offset %= size;
	return true;
}

/* Whether the offset is in an array with elements of @scale bytes, at any depth. */
static bool has_elements(Dwarf_Die *type, uint64_t offset, unsigned int scale,
			 unsigned int depth, unsigned int *left)
{
	Dwarf_Die peeled, child, inner;
	uint64_t at;

	if (depth > DEPTH_MAX || !*left || !--*left || dwarf_peel_type(type, &peeled))
		return false;
	if (dwarf_tag(&peeled) == DW_TAG_array_type)
		return enter_array(&peeled, &offset, &inner) &&
		       (type_layout_size(&inner) == scale ||
			has_elements(&inner, offset, scale, depth + 1, left));
	if (!is_aggregate(&peeled) || dwarf_child(&peeled, &child))
		return false;
	do {
		if (layout_member_offset(&child, &at) && offset >= at &&
		    dies_declared_type(&child, &inner) && offset - at < type_layout_size(&inner) &&
		    has_elements(&inner, offset - at, scale, depth + 1, left))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

bool type_layout_element(struct object_place *place, unsigned int scale)
{
	uint64_t size, offset = place->offset;
	unsigned int left = MEMBERS_MAX;
	Dwarf_Die peeled;

	if (dwarf_peel_type(&place->type, &peeled) || !layout_size(&peeled, &size) ||
	    offset >= size)
		return false;
	if (scale > 1 && size != scale && !has_elements(&place->type, offset, scale, 0, &left))
		return false;
	for (int i = 0; i < DEPTH_MAX && dwarf_tag(&peeled) == DW_TAG_array_type; i++)
		if (!enter_array(&peeled, &offset, &place->type) ||
		    dwarf_peel_type(&place->type, &peeled))
			return false;
	place->offset = offset;
	/* The name of a typedef is more informative than its target, but qualifiers are not. */
	while (dwarf_tag(&place->type) != DW_TAG_typedef && place->type.addr != peeled.addr)
		if (!dies_declared_type(&place->type, &place->type))
			return false;
	return true;
}

/* A damaged type may contain itself in each of many members, so @left bounds the steps. */
static bool follow_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *ret, unsigned int depth,
		      unsigned int *left)
{
	Dwarf_Die peeled, child, inner;
	uint64_t at, size;

	if (depth > DEPTH_MAX || !*left || !--*left || dwarf_peel_type(type, &peeled))
		return false;
	if (dwarf_tag(&peeled) == DW_TAG_pointer_type)
		return !offset && dies_declared_type(&peeled, ret);
	if (dwarf_tag(&peeled) == DW_TAG_array_type)
		return enter_array(&peeled, &offset, &inner) &&
		       follow_at(&inner, offset, ret, depth + 1, left);
	if (!is_aggregate(&peeled) || dwarf_child(&peeled, &child))
		return false;
	do {
		Dwarf_Die whole;

		if (!layout_member_offset(&child, &at) || offset < at ||
		    !dies_declared_type(&child, &inner) || dwarf_peel_type(&inner, &whole))
			continue;
		if (!layout_size(&whole, &size))
			size = 0;
		if (offset - at < size && follow_at(&inner, offset - at, ret, depth + 1, left))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

bool type_layout_follow(const struct object_place *place, struct object_place *ret)
{
	Dwarf_Die type = place->type, found;
	unsigned int left = MEMBERS_MAX;

	if (place->offset < 0 || !follow_at(&type, place->offset, &found, 0, &left))
		return false;
	*ret = (struct object_place){ found, 0 };
	return true;
}
