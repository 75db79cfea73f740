// SPDX-License-Identifier: GPL-2.0
#include "probe/location.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/registers.h"

/*
 * At the entry, a parameter's location may begin only behind the instructions that tracing and
 * control-flow protection need (endbr64, the call of __fentry__).
 */
#define LOCATION_ENTRY_BYTES 16

struct location {
	const struct probe_binary *binary;
	struct probe_place *place;
	Dwarf_Frame *frame;	/* to be freed; its CFA's operations belong to it */
};

/* Find the operations of the CFA at the address. */
static bool location_cfa(struct location *l, Dwarf_Op **ret, size_t *ret_nr)
{
	const struct probe_binary *binary = l->binary;
	Dwarf_Addr bias;
	Dwarf_CFI *cfis[2];

	cfis[0] = dwfl_module_eh_cfi(binary->file, &bias);
	cfis[1] = dwfl_module_dwarf_cfi(binary->file, &bias);
	for (int i = 0; i < 2; i++) {
		Dwarf_Frame *frame;

		if (!cfis[i] || dwarf_cfi_addrframe(cfis[i], l->place->address, &frame))
			continue;
		if (!dwarf_frame_cfa(frame, ret, ret_nr) && *ret_nr == 1) {
			l->frame = frame;
			return true;
		}
		free(frame);
	}
	return false;
}

/* Find the register and offset that DW_OP_fbreg is relative to. */
static bool location_frame_base(struct location *l, Dwarf_Op **ret)
{
	Dwarf_Attribute attribute;
	size_t nr;

	if (!dwarf_attr_integrate(&l->place->function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation_addr(&attribute, l->place->address, ret, &nr, 1) <= 0 || nr != 1)
		return false;
	return (*ret)->atom != DW_OP_call_frame_cfa || location_cfa(l, ret, &nr);
}

/* Name the memory at an address of the binary. */
static enum probe_location location_static(struct location *l, Dwarf_Die *variable,
					   uint64_t address, struct operand *ret)
{
	const struct probe_binary *binary = l->binary;
	uint64_t offset;

	if (binary->kind != PROBE_PROGRAM) {
		snprintf(ret->base, sizeof(ret->base), "@%s", dwarf_diename(variable));
		operand_follow(ret, 0);
		return PROBE_LOCATION_KNOWN;
	}
	/* The kernel adds it to where the file's offset 0 would be mapped with the code. */
	if (!probe_binary_offset(binary, l->place->address, &offset))
		return PROBE_LOCATION_OTHER;
	strcpy(ret->base, "@");
	operand_follow(ret, address - (l->place->address - offset));
	return PROBE_LOCATION_KNOWN;
}

static enum probe_location location_of_op(struct location *l, const Dwarf_Op *op, long offset,
					  bool memory, struct operand *ret)
{
	unsigned int number;
	const char *name;

	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		number = op->atom - DW_OP_breg0;
		offset += (long)op->number;
		memory = true;
	} else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		number = op->atom - DW_OP_reg0;
	} else if (op->atom == DW_OP_bregx) {
		number = op->number;
		offset += (long)op->number2;
		memory = true;
	} else if (op->atom == DW_OP_regx) {
		number = op->number;
	} else {
		return PROBE_LOCATION_OTHER;
	}
	name = probe_register(l->binary->header.e_machine, number);
	if (!name)
		return PROBE_LOCATION_REGISTER;
	snprintf(ret->base, sizeof(ret->base), "%s", name);
	if (memory)
		operand_follow(ret, offset);
	return PROBE_LOCATION_KNOWN;
}

/* The value of a register plus a number. */
static enum probe_location location_of_sum(struct location *l, const Dwarf_Op *op, long addend,
					   struct operand *ret)
{
	const Dwarf_Op reg = { .atom = op->atom - DW_OP_breg0 + DW_OP_reg0 };

	ret->addend = (unsigned long)op->number + (unsigned long)addend;
	ret->is_sum = ret->addend;
	return location_of_op(l, &reg, 0, false, ret);
}

/* A value that is not in memory: a register's value at the entry, a constant, a register. */
static enum probe_location location_of_value(struct location *l, Dwarf_Attribute *attribute,
					     Dwarf_Op *ops, size_t nr, struct operand *ret)
{
	Dwarf_Attribute inner;
	Dwarf_Op *entry;
	size_t nr_entry;
	Dwarf_Addr start;

	if (nr != 2 || ops[1].atom != DW_OP_stack_value)
		return PROBE_LOCATION_COMPUTED;
	if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
		return location_of_sum(l, &ops[0], 0, ret);
	if (ops[0].atom == DW_OP_fbreg && location_frame_base(l, &entry) &&
	    entry->atom >= DW_OP_breg0 && entry->atom <= DW_OP_breg31)
		return location_of_sum(l, entry, ops[0].number, ret);
	if (ops[0].atom >= DW_OP_lit0 && ops[0].atom <= DW_OP_lit31) {
		snprintf(ret->base, sizeof(ret->base), "\\%d", ops[0].atom - DW_OP_lit0);
		return PROBE_LOCATION_KNOWN;
	}
	if ((ops[0].atom == DW_OP_entry_value || ops[0].atom == DW_OP_GNU_entry_value) &&
	    !dwarf_entrypc(&l->place->function, &start) && start == l->place->address &&
	    !dwarf_getlocation_attr(attribute, &ops[0], &inner) &&
	    !dwarf_getlocation(&inner, &entry, &nr_entry) && nr_entry == 1)
		return location_of_op(l, &entry[0], 0, false, ret);
	return PROBE_LOCATION_COMPUTED;
}

static enum probe_location location_of_ops(struct location *l, Dwarf_Attribute *attribute,
					   Dwarf_Die *variable, Dwarf_Op *ops, size_t nr,
					   struct operand *ret)
{
	Dwarf_Op *base;
	uint64_t address;
	Dwarf_Attribute found;

	if (!nr)
		return PROBE_LOCATION_NONE;
	if (ops[nr - 1].atom == DW_OP_stack_value)
		return location_of_value(l, attribute, ops, nr, ret);
	if (ops[0].atom == DW_OP_entry_value || ops[0].atom == DW_OP_GNU_entry_value)
		return PROBE_LOCATION_COMPUTED;
	/* C++ passes the address of an object with a constructor. */
	if (nr == 2 && ops[1].atom == DW_OP_deref) {
		enum probe_location pointer = location_of_ops(l, attribute, variable, ops, 1, ret);

		if (pointer == PROBE_LOCATION_KNOWN)
			operand_follow(ret, 0);
		return pointer;
	}
	if (nr > 1)
		return PROBE_LOCATION_OTHER;
	address = ops[0].number;
	if (ops[0].atom == DW_OP_addr)
		return location_static(l, variable, address, ret);
	if (ops[0].atom == DW_OP_addrx && !dwarf_getlocation_attr(attribute, &ops[0], &found) &&
	    !dwarf_formaddr(&found, &address))
		return location_static(l, variable, address, ret);
	if (ops[0].atom == DW_OP_fbreg)
		return location_frame_base(l, &base) ?
			location_of_op(l, base, (long)ops[0].number, true, ret) :
			PROBE_LOCATION_OTHER;
	return location_of_op(l, &ops[0], 0, false, ret);
}

/* Find the location at the address, or for a parameter at the entry, shortly behind it. */
static bool location_ops(struct location *l, Dwarf_Attribute *attribute, Dwarf_Die *variable,
			 Dwarf_Op **ret, size_t *ret_nr)
{
	uint64_t address = l->place->address;
	Dwarf_Addr start, base, from, to;
	ptrdiff_t at = 0;

	if (dwarf_getlocation_addr(attribute, address, ret, ret_nr, 1) > 0)
		return true;
	if (dwarf_tag(variable) != DW_TAG_formal_parameter ||
	    dwarf_entrypc(&l->place->function, &start) || start != address)
		return false;
	while ((at = dwarf_getlocations(attribute, at, &base, &from, &to, ret, ret_nr)) > 0)
		if (from > address && from - address <= LOCATION_ENTRY_BYTES)
			return true;
	return false;
}

/* An external variable has its location at its definition, elsewhere in the unit. */
static bool location_is_external(Dwarf_Die *variable)
{
	return !dwarf_hasattr_integrate(variable, DW_AT_location) &&
	       dwarf_hasattr_integrate(variable, DW_AT_external);
}

enum probe_location probe_location_find(const struct probe_binary *binary,
					struct probe_place *place, Dwarf_Die *variable,
					struct operand *ret)
{
	struct location l = { .binary = binary, .place = place };
	enum probe_location found;
	Dwarf_Attribute attribute;
	Dwarf_Sword constant;
	Dwarf_Op *ops;
	size_t nr;

	*ret = (struct operand){ .nr = 0 };
	if (location_is_external(variable) && dwarf_diename(variable)) {
		if (binary->kind == PROBE_PROGRAM)
			return PROBE_LOCATION_OTHER;
		return location_static(&l, variable, 0, ret);
	}
	if (dwarf_attr_integrate(variable, DW_AT_const_value, &attribute) &&
	    !dwarf_formsdata(&attribute, &constant)) {
		snprintf(ret->base, sizeof(ret->base), "\\%lld", (long long)constant);
		return PROBE_LOCATION_KNOWN;
	}
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute) ||
	    !location_ops(&l, &attribute, variable, &ops, &nr))
		return PROBE_LOCATION_NONE;
	found = location_of_ops(&l, &attribute, variable, ops, nr, ret);
	free(l.frame);
	return found;
}
