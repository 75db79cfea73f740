// SPDX-License-Identifier: GPL-2.0
#include "symbol/elf/dies.h"

#include <fnmatch.h>
#include <string.h>

#include "symbol/demangle.h"
#include "with/libdw.h"

void dies_units(Dwarf *dwarf, die_fn function, void *context)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, sub;
	uint8_t type;

	while (!dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &sub)) {
		/* If debug information is split, the code is described in the other part. */
		if (type == DW_UT_skeleton && dwarf_tag(&sub) == DW_TAG_compile_unit)
			die = sub;
		if (dwarf_tag(&die) == DW_TAG_compile_unit && !function(context, &die))
			return;
	}
}

struct functions_walk {
	die_fn function;
	void *context;
};

static int dies_one_function(Dwarf_Die *die, void *data)
{
	const struct functions_walk *walk = data;

	if (dwarf_tag(die) != DW_TAG_subprogram || dwarf_hasattr(die, DW_AT_declaration))
		return DWARF_CB_OK;
	return walk->function(walk->context, die) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

void dies_functions(Dwarf_Die *unit, die_fn function, void *context)
{
	struct functions_walk walk = { function, context };

	dwarf_getfuncs(unit, dies_one_function, &walk, 0);
}

static enum dies_step dies_walk_at(Dwarf_Die *die, dies_walk_fn function, void *context,
				   unsigned int depth)
{
	Dwarf_Die child;

	if (depth > DIES_MAX_DEPTH || dwarf_child(die, &child))
		return DIES_GO_ON;
	do {
		enum dies_step step = function(context, &child);

		if (step == DIES_GO_ON)
			step = dies_walk_at(&child, function, context, depth + 1);
		if (step == DIES_STOP)
			return step;
	} while (!dwarf_siblingof(&child, &child));
	return DIES_GO_ON;
}

enum dies_step dies_walk(Dwarf_Die *die, dies_walk_fn function, void *context)
{
	return dies_walk_at(die, function, context, 0);
}

struct function_search {
	uint64_t address;
	Dwarf_Die *ret;
	bool found;
};

static bool dies_match_function(void *context, Dwarf_Die *die)
{
	struct function_search *search = context;

	if (dwarf_haspc(die, search->address) <= 0)
		return true;
	*search->ret = *die;
	search->found = true;
	return false;
}

bool dies_function_at(Dwarf_Die *unit, uint64_t address, Dwarf_Die *ret)
{
	struct function_search search = { address, ret, false };

	dies_functions(unit, dies_match_function, &search);
	return search.found;
}

bool dies_entry(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Addr base, end, start;

	if (dwarf_entrypc(die, &start) && dwarf_ranges(die, 0, &base, &start, &end) <= 0)
		return false;
	*ret = start;
	/* Functions that the linker removed are at 0. */
	return start;
}

bool dies_origin(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
	       dwarf_formref_die(&attribute, ret);
}

bool dies_declared_type(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, ret);
}

bool dies_member_offset(Dwarf_Die *member, uint64_t *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	Dwarf_Op *ops;
	size_t nr;

	*ret = 0;
	if (!dwarf_attr_integrate(member, DW_AT_data_member_location, &attribute))
		return true;
	if (!dwarf_formudata(&attribute, &offset)) {
		*ret = offset;
		return true;
	}
	if (dwarf_getlocation(&attribute, &ops, &nr) || nr != 1 ||
	    ops[0].atom != DW_OP_plus_uconst)
		return false;
	*ret = ops[0].number;
	return true;
}

bool dies_is_instance(Dwarf_Die *die, Dwarf_Die *origin)
{
	int tag = dwarf_tag(die);
	Dwarf_Die found;

	return (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram) &&
	       dies_origin(die, &found) && found.addr == origin->addr;
}

bool dies_number(Dwarf_Die *die, unsigned int attribute, uint64_t *ret)
{
	Dwarf_Attribute found;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, attribute, &found) || dwarf_formudata(&found, &value))
		return false;
	*ret = value;
	return true;
}

bool dies_is_file(const char *path, const char *tail)
{
	size_t len = path ? strlen(path) : 0, end = strlen(tail);

	return path && len >= end && !strcmp(path + len - end, tail) &&
	       (len == end || path[len - end - 1] == '/' || *tail == '/');
}

const char *dies_folder(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

const char *dies_file(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die unit;
	Dwarf_Files *files;
	Dwarf_Half version;
	Dwarf_Word file;
	size_t nr;

	/* dwarf_decl_file() does not know that the first file has the number 0 since DWARF 5. */
	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) ||
	    dwarf_formudata(&attribute, &file) ||
	    !dwarf_cu_die(attribute.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) ||
	    (!file && version < 5) || dwarf_getsrcfiles(&unit, &files, &nr) || file >= nr)
		return NULL;
	return dwarf_filesrc(files, file, NULL, NULL);
}

static const char *dies_call_file(Dwarf_Die *unit, Dwarf_Die *die, int *ret_line)
{
	Dwarf_Files *files;
	uint64_t file, line;
	size_t nr;

	if (!dies_number(die, DW_AT_call_file, &file) ||
	    !dies_number(die, DW_AT_call_line, &line) ||
	    dwarf_getsrcfiles(unit, &files, &nr) || file >= nr)
		return NULL;
	*ret_line = line;
	return dwarf_filesrc(files, file, NULL, NULL);
}

const char *dies_start(Dwarf_Die *unit, Dwarf_Die *die, int *ret_line)
{
	int tag = dwarf_tag(die);

	*ret_line = 0;
	if (tag == DW_TAG_inlined_subroutine)
		return dies_call_file(unit, die, ret_line);
	return tag == DW_TAG_subprogram && !dwarf_decl_line(die, ret_line) ? dies_file(die) : NULL;
}

bool dies_type(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Die type;

	if (!dies_declared_type(die, &type))
		return false;
	/* dwarf_peel_type() follows types that refer to themselves for a long time. */
	return !dwarf_peel_type(&type, ret);
}

bool dies_is_named(Dwarf_Die *die, const char *name)
{
	const char *own = dwarf_diename(die), *linkage;
	Dwarf_Attribute attribute;

	if (own && (!strcmp(name, own) || !fnmatch(name, own, 0)))
		return true;
	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
		return false;
	linkage = dwarf_formstring(&attribute);
	return linkage && (!fnmatch(name, linkage, 0) || demangled_matches(name, linkage));
}
