// SPDX-License-Identifier: GPL-2.0
#include "symbol/code/variables.h"

#include <stdlib.h>

#include "lib/array.h"
#include "symbol/elf/dies.h"
#include "with/libdw.h"

/* More variables than any program has: a damaged file may claim any number. */
#define GLOBALS_MAX	(1 << 20)

struct global_variable {
	uint64_t address, size;	/* for thread-local ones: offset from the start of the block */
	Dwarf_Die type;	/* may be in another file, if debug information is split */
};

struct global_list {
	struct global_variable *items;	/* ascending */
	size_t nr, alloc;
};

struct variables {
	struct dwarf_lines *lines;
	Dwarf *dwarf;
	Dwarf_CFI *frames[2];	/* of .debug_frame and .eh_frame; NULL: none */
	Dwarf_Die function;	/* that of the last address */
	bool has_function;
	bool has_globals;	/* they were read */
	struct global_list globals, threads;
	/* The distance from the start of a thread's block to the thread pointer; 0: unknown. */
	uint64_t thread_block;
	uint64_t thread_image;	/* offset in the file of the block's initial values */
};

/* Static executables have this flag if they are position-independent. */
static bool elf_says_pie(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Dyn entry;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getdyn(data, i, &entry); i++)
			if (entry.d_tag == DT_FLAGS_1)
				return entry.d_un.d_val & DF_1_PIE;
	}
	return false;
}

/*
 * Whether the file is an executable: then the linker has set the offsets of its thread-local
 * variables.
 */
static bool elf_is_executable(Elf *elf, const GElf_Ehdr *header)
{
	GElf_Phdr segment;
	size_t nr;

	if (header->e_type != ET_DYN || elf_getphdrnum(elf, &nr))
		return header->e_type == ET_EXEC;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_INTERP)
			return true;
	return elf_says_pie(elf);
}

/*
 * On x86-64, the block of an executable ends at the thread pointer; its size is rounded up to its
 * alignment.  The offset of a library's block is not known.
 */
static void find_thread_block(struct variables *v)
{
	Elf *elf = v->dwarf ? dwarf_getelf(v->dwarf) : NULL;
	GElf_Ehdr header;
	GElf_Phdr segment;
	size_t nr;

	if (!elf || !gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64 ||
	    !elf_is_executable(elf, &header) || elf_getphdrnum(elf, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		uint64_t end, align;

		if (!gelf_getphdr(elf, i, &segment) || segment.p_type != PT_TLS)
			continue;
		align = segment.p_align ? segment.p_align : 1;
		end = segment.p_vaddr + segment.p_memsz + align - 1;
		v->thread_block = end - end % align - segment.p_vaddr;
		v->thread_image = segment.p_vaddr;
	}
}

struct variables *variables_create(struct dwarf_lines *lines)
{
	struct variables *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->lines = lines;
	v->dwarf = dwarf_lines_dwarf(lines);
	find_thread_block(v);
	if (v->dwarf) {
		v->frames[0] = dwarf_getcfi(v->dwarf);
		v->frames[1] = dwarf_getcfi_elf(dwarf_getelf(v->dwarf));
	}
	return v;
}

void variables_destroy(struct variables *v)
{
	if (!v)
		return;
	if (v->frames[1])
		dwarf_cfi_end(v->frames[1]);
	free(v->globals.items);
	free(v->threads.items);
	free(v);
}

static bool find_variables_function(struct variables *v, uint64_t pc)
{
	Dwarf_Die unit;

	if (v->has_function && dwarf_haspc(&v->function, pc) > 0)
		return true;
	v->has_function = dwarf_lines_unit(v->lines, pc, &unit) &&
			  dies_function_at(&unit, pc, &v->function);
	return v->has_function;
}

bool variables_know(struct variables *v, uint64_t pc)
{
	return find_variables_function(v, pc);
}

static bool variable_pointee(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Die type;
	int tag;

	if (!dies_type(die, &type))
		return false;
	tag = dwarf_tag(&type);
	return (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
		tag == DW_TAG_rvalue_reference_type) && dies_declared_type(&type, ret);
}

static bool variable_size(Dwarf_Die *type, uint64_t *ret)
{
	Dwarf_Word size;
	Dwarf_Die peeled;

	if (dwarf_peel_type(type, &peeled) || dwarf_aggregate_size(&peeled, &size))
		return false;
	*ret = size;
	return true;
}

/* The register of an operation "register plus number"; false: it is another operation. */
static bool sum_register(const Dwarf_Op *op, int *ret_reg, int64_t *ret_addend)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		*ret_reg = op->atom - DW_OP_breg0;
		*ret_addend = op->number;
	} else if (op->atom == DW_OP_bregx) {
		*ret_reg = op->number;
		*ret_addend = op->number2;
	} else {
		return false;
	}
	return true;
}

static bool value_register(const Dwarf_Op *op, int *ret)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*ret = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx)
		*ret = op->number;
	else
		return false;
	return true;
}

static bool find_cfa(struct variables *v, uint64_t pc, int *ret_reg, int64_t *ret_addend)
{
	for (size_t i = 0; i < ARRAY_SIZE(v->frames); i++) {
		Dwarf_Frame *frame;
		Dwarf_Op *ops;
		bool found;
		size_t nr;

		if (!v->frames[i] || dwarf_cfi_addrframe(v->frames[i], pc, &frame))
			continue;
		found = !dwarf_frame_cfa(frame, &ops, &nr) && nr == 1 &&
			sum_register(&ops[0], ret_reg, ret_addend);
		free(frame);
		if (found)
			return true;
	}
	return false;
}

/* Find the register and addend that DW_OP_fbreg is relative to. */
static bool find_frame_base(struct variables *v, uint64_t pc, int *ret_reg, int64_t *ret_addend)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr_integrate(&v->function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation_addr(&attribute, pc, &ops, &nr, 1) <= 0 || nr != 1)
		return false;
	if (ops[0].atom == DW_OP_call_frame_cfa)
		return find_cfa(v, pc, ret_reg, ret_addend);
	*ret_addend = 0;
	return value_register(&ops[0], ret_reg) || sum_register(&ops[0], ret_reg, ret_addend);
}

/* A search and its result.  Inner variables come later and replace outer ones. */
struct place_search {
	struct variables *v;
	uint64_t pc;
	int reg;		/* -1: displacement is an address, or an offset if `thread` */
	bool thread;		/* displacement is from the start of the thread's block */
	int64_t displacement;
	struct object_place place;
	bool found;
};

/* Take @die if it begins at @start and contains the searched displacement. */
static void match_object(struct place_search *s, Dwarf_Die *die, int64_t start)
{
	uint64_t size, offset = (uint64_t)s->displacement - (uint64_t)start;
	Dwarf_Die type;

	if (!dies_declared_type(die, &type) || !variable_size(&type, &size) || offset >= size)
		return;
	s->place = (struct object_place){ type, offset };
	s->found = true;
}

static void match_pointer(struct place_search *s, Dwarf_Die *die, int64_t addend)
{
	Dwarf_Die type;

	if (!variable_pointee(die, &type))
		return;
	s->place = (struct object_place){ type, (uint64_t)s->displacement - (uint64_t)addend };
	s->found = true;
}

static bool static_address(Dwarf_Attribute *attribute, const Dwarf_Op *op, uint64_t *ret)
{
	Dwarf_Attribute found;

	*ret = op->number;
	return op->atom == DW_OP_addr ||
	       (op->atom == DW_OP_addrx && !dwarf_getlocation_attr(attribute, op, &found) &&
		!dwarf_formaddr(&found, ret));
}

/* Find the offset of a thread-local variable in its block; false: it is no such variable. */
static bool thread_offset(const struct variables *v, Dwarf_Attribute *attribute,
			  const Dwarf_Op *ops, size_t nr, uint64_t *ret)
{
	Dwarf_Attribute found;
	Dwarf_Word number;

	if (nr != 2 || (ops[1].atom != DW_OP_form_tls_address &&
			ops[1].atom != DW_OP_GNU_push_tls_address))
		return false;
	*ret = ops[0].number;
	if (ops[0].atom == DW_OP_const8u || ops[0].atom == DW_OP_const4u)
		return true;
	/* If debug information is split, it is in a table, where gcc puts addresses. */
	if ((ops[0].atom != DW_OP_constx && ops[0].atom != DW_OP_GNU_const_index) ||
	    dwarf_getlocation_attr(attribute, &ops[0], &found) ||
	    dwarf_formudata(&found, &number))
		return false;
	*ret = number - v->thread_image < v->thread_block ? number - v->thread_image : number;
	return true;
}

/*
 * Entry values, pieces and computed values match nothing: in these cases the register does not hold
 * the variable.
 */
static void match_location(struct place_search *s, Dwarf_Die *die, Dwarf_Attribute *attribute,
			   const Dwarf_Op *ops, size_t nr)
{
	int64_t addend;
	uint64_t address;
	int reg;

	if (s->reg < 0) {
		if (s->thread ? thread_offset(s->v, attribute, ops, nr, &address) :
				nr == 1 && static_address(attribute, &ops[0], &address))
			match_object(s, die, address);
	} else if (nr == 1 && value_register(&ops[0], &reg)) {
		if (reg == s->reg)
			match_pointer(s, die, 0);
	} else if (nr == 2 && ops[1].atom == DW_OP_stack_value &&
		   sum_register(&ops[0], &reg, &addend)) {
		if (reg == s->reg)
			match_pointer(s, die, addend);
	} else if (nr == 1 && sum_register(&ops[0], &reg, &addend)) {
		if (reg == s->reg)
			match_object(s, die, addend);
	} else if (nr == 1 && ops[0].atom == DW_OP_fbreg &&
		   find_frame_base(s->v, s->pc, &reg, &addend)) {
		if (reg == s->reg)
			match_object(s, die, addend + (int64_t)ops[0].number);
	}
}

static enum dies_step match_variable(void *context, Dwarf_Die *die)
{
	struct place_search *s = context;
	int tag = dwarf_tag(die);
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t nr;

	if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
		return dwarf_haspc(die, s->pc) > 0 ? DIES_GO_ON : DIES_SKIP;
	if ((tag == DW_TAG_formal_parameter || tag == DW_TAG_variable) &&
	    dwarf_attr_integrate(die, DW_AT_location, &attribute) &&
	    dwarf_getlocation_addr(&attribute, s->pc, &ops, &nr, 1) > 0)
		match_location(s, die, &attribute, ops, nr);
	return DIES_SKIP;
}

static bool search_function(struct place_search *s, struct object_place *ret)
{
	if (!find_variables_function(s->v, s->pc))
		return false;
	dies_walk(&s->v->function, match_variable, s);
	if (s->found)
		*ret = s->place;
	return s->found;
}

bool variables_find_pointed(struct variables *v, uint64_t pc, int reg, int64_t displacement,
			    struct object_place *ret)
{
	struct place_search s = { .v = v, .pc = pc, .reg = reg, .displacement = displacement };

	return search_function(&s, ret);
}

static enum dies_step add_global(void *context, Dwarf_Die *die)
{
	struct variables *v = context;
	struct global_list *list = &v->globals;
	struct global_variable global;
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_tag(die) == DW_TAG_namespace)
		return DIES_GO_ON;
	if (dwarf_tag(die) != DW_TAG_variable ||
	    !dwarf_attr(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &ops, &nr))
		return DIES_SKIP;
	if (thread_offset(v, &attribute, ops, nr, &global.address))
		list = &v->threads;
	else if (nr != 1 || !static_address(&attribute, &ops[0], &global.address))
		return DIES_SKIP;
	if (!dies_declared_type(die, &global.type) || !variable_size(&global.type, &global.size) ||
	    !global.size)
		return DIES_SKIP;
	return list->nr < GLOBALS_MAX && array_push(list, global) ? DIES_SKIP : DIES_STOP;
}

static bool add_unit_globals(void *context, Dwarf_Die *unit)
{
	return dies_walk(unit, add_global, context) != DIES_STOP;
}

DEFINE_COMPARISON(compare_globals, struct global_variable, array_order(x->address, y->address))

static void sort_globals(struct global_list *list)
{
	array_sort(list, compare_globals);
}

/* Find the variable of a list that contains @address; false: there is none. */
static bool find_global(struct variables *v, const struct global_list *list, uint64_t address,
			struct object_place *ret)
{
	const struct global_variable *last;
	size_t nr;

	if (!v->has_globals && v->dwarf) {
		dies_units(v->dwarf, add_unit_globals, v);
		sort_globals(&v->globals);
		sort_globals(&v->threads);
	}
	v->has_globals = true;
	nr = array_count_until(list, address, address);
	last = nr ? &list->items[nr - 1] : NULL;
	if (!last || address - last->address >= last->size)
		return false;
	ret->type = last->type;
	ret->offset = address - last->address;
	return true;
}

bool variables_find_static(struct variables *v, uint64_t pc, uint64_t address,
			   struct object_place *ret)
{
	struct place_search s = { .v = v, .pc = pc, .reg = -1, .displacement = address };

	return search_function(&s, ret) || find_global(v, &v->globals, address, ret);
}

bool variables_find_thread(struct variables *v, uint64_t pc, int64_t displacement,
			   struct object_place *ret)
{
	const uint64_t offset = v->thread_block + (uint64_t)displacement;
	struct place_search s = {
		.v = v, .pc = pc, .reg = -1, .thread = true, .displacement = offset,
	};

	return v->thread_block &&
	       (search_function(&s, ret) || find_global(v, &v->threads, offset, ret));
}
