// SPDX-License-Identifier: GPL-2.0
#include "symbol/code/type_name.h"

#include "with/libdw.h"

/* Types of types, which only damaged files nest deeper. */
#define DEPTH_MAX	16

static void add_name_of(Dwarf_Die *die, struct strbuf *out, unsigned int depth);

static void add_type_name(Dwarf_Die *type, struct strbuf *out, unsigned int depth)
{
	const char *name = dwarf_diename(type);
	int tag = dwarf_tag(type);

	if (tag == DW_TAG_array_type || tag == DW_TAG_pointer_type) {
		add_name_of(type, out, depth + 1);
		strbuf_addstr(out, tag == DW_TAG_array_type ? "[]" : "*");
	} else if (tag == DW_TAG_subroutine_type) {
		strbuf_addstr(out, "(function_type)");
	} else if (tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
		   tag == DW_TAG_restrict_type) {
		add_name_of(type, out, depth + 1);
	} else {
		strbuf_addf(out, "%s%s", tag == DW_TAG_structure_type ? "struct " :
			    tag == DW_TAG_union_type ? "union " :
			    tag == DW_TAG_enumeration_type ? "enum " : "", name ? name : "(unknown)");
	}
}

static void add_name_of(Dwarf_Die *die, struct strbuf *out, unsigned int depth)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) || depth > DEPTH_MAX ||
	    !dwarf_formref_die(&attribute, &type))
		strbuf_addstr(out, "void");
	else
		add_type_name(&type, out, depth);
}

void type_name_add(Dwarf_Die *type, struct strbuf *out)
{
	add_type_name(type, out, 0);
}

void type_name_add_of(Dwarf_Die *die, struct strbuf *out)
{
	add_name_of(die, out, 0);
}
