// SPDX-License-Identifier: GPL-2.0
#include "symbol/code/data_access.h"

#include <stdlib.h>

#include "symbol/code/memory_operand.h"
#include "symbol/code/type_layout.h"

/* Limits for one access: the inspected instructions, and the loads that follow one another. */
#define STEPS_MAX	256
#define DEPTH_MAX	8

/* The number of DWARF registers that hold addresses, on x86-64 and arm64. */
#define REGISTERS	32

/* The state of the search for instructions of a function that write a register. */
#define WRITER_UNKNOWN	0	/* not searched yet */
#define WRITER_NONE	1	/* there is none, or more than one */
#define WRITER_ONE	2	/* its position is added to this */

struct data_accesses {
	uint16_t machine;
	const struct disassembly *disassembly;
	struct variables *variables;
	struct operands *operands;	/* by instruction */
	bool *targets;			/* whether a jump of the function goes there */
	bool wanders;			/* a jump goes to the address in a register */
	size_t writers[REGISTERS];
	bool known;			/* whether the machine is supported */
	bool relocatable;
};

/* One search for the target of a register. */
struct tracking {
	struct data_accesses *a;
	unsigned int steps;
};

void data_accesses_destroy(struct data_accesses *a)
{
	if (!a)
		return;
	free(a->operands);
	free(a->targets);
	free(a);
}

static void mark_target(struct data_accesses *a, uint64_t address)
{
	const size_t position = disassembly_find(a->disassembly, address);

	if (position != SIZE_MAX && a->disassembly->items[position].address == address)
		a->targets[position] = true;
}

struct data_accesses *data_accesses_create(uint16_t machine, bool relocatable,
					   const struct disassembly *disassembly,
					   struct variables *variables)
{
	_cleanup_(data_accesses) struct data_accesses *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->machine = machine;
	a->relocatable = relocatable;
	a->disassembly = disassembly;
	a->variables = variables;
	a->known = true;
	a->operands = calloc(disassembly->nr + 1, sizeof(*a->operands));
	a->targets = calloc(disassembly->nr + 1, sizeof(*a->targets));
	if (!a->operands || !a->targets)
		return NULL;
	for (size_t i = 0; i < disassembly->nr; i++) {
		const struct instruction *instruction = &disassembly->items[i];

		a->known &= operands_read(machine, instruction, &a->operands[i]);
		a->wanders |= a->operands[i].wanders;
		if (instruction->branches && a->operands[i].effect != OPERAND_CALLS)
			mark_target(a, instruction->target);
	}
	return_ptr(a);
}

static bool find_pointed(struct tracking *t, size_t position, int reg, int64_t displacement,
			 unsigned int depth, struct object_place *ret);

static bool find_number(struct tracking *t, size_t position, int reg, int64_t *ret);

/* Per-CPU variables are addressed by %gs, thread-local ones by %fs. */
static bool find_in_segment(struct tracking *t, size_t position, const struct memory_operand *m,
			    struct object_place *ret)
{
	struct data_accesses *a = t->a;
	const uint64_t pc = a->disassembly->items[position].address;
	int64_t number = 0;

	if (a->relocatable)
		return false;
	if (m->segment == 'g')
		return m->base == OPERAND_NONE && m->index == OPERAND_NONE &&
		       variables_find_static(a->variables, pc, m->displacement, ret);
	if (m->base != OPERAND_NONE && !find_number(t, position, m->base, &number))
		return false;
	number = (uint64_t)number + (uint64_t)m->displacement;
	return variables_find_thread(a->variables, pc, number, ret);
}

static bool find_object(struct tracking *t, size_t position, const struct memory_operand *m,
			unsigned int depth, struct object_place *ret)
{
	struct data_accesses *a = t->a;

	if (m->segment)
		return find_in_segment(t, position, m, ret);
	if (m->base != OPERAND_NONE &&
	    find_pointed(t, position, m->base, m->displacement, depth, ret))
		return true;
	/* The compiler may put the pointer into either register. */
	if (m->base != OPERAND_NONE)
		return m->index != OPERAND_NONE &&
		       find_pointed(t, position, m->index, m->displacement, depth, ret);
	return !a->relocatable &&
	       variables_find_static(a->variables, a->disassembly->items[position].address,
				     m->displacement, ret);
}

static bool writes(const struct data_accesses *a, size_t position, int reg)
{
	const struct operands *o = &a->operands[position];

	if (o->effect == OPERAND_UNKNOWN)
		return true;
	if (o->effect == OPERAND_CALLS)
		return !operands_is_saved(a->machine, reg);
	for (size_t i = 0; i < OPERAND_WRITTEN; i++)
		if (o->written[i] == reg)
			return true;
	return false;
}

/* Find the target of a register from the instruction that wrote it. */
static bool find_written(struct tracking *t, size_t position, int64_t displacement,
			 unsigned int depth, struct object_place *ret)
{
	const struct operands *o = &t->a->operands[position];
	struct memory_operand memory = o->memory;
	struct object_place held;

	switch (o->effect) {
	case OPERAND_MOVES:
		return find_pointed(t, position, o->source, displacement, depth + 1, ret);
	case OPERAND_ADDRESSES:
		memory.displacement += (uint64_t)displacement;
		return find_object(t, position, &memory, depth + 1, ret);
	case OPERAND_THREAD:
		return !t->a->relocatable &&
		       variables_find_thread(t->a->variables,
					     t->a->disassembly->items[position].address,
					     displacement, ret);
	case OPERAND_LOADS:
		if (!find_object(t, position, &memory, depth + 1, &held) ||
		    !type_layout_follow(&held, ret))
			return false;
		ret->offset = displacement;
		return true;
	default:
		return false;
	}
}

/* The function is searched once for each register, and the result is kept. */
static size_t find_writer(struct data_accesses *a, int reg)
{
	size_t nr = 0, at = 0;

	if (reg < 0 || reg >= REGISTERS)
		return WRITER_NONE;
	if (a->writers[reg] != WRITER_UNKNOWN)
		return a->writers[reg];
	for (size_t i = 0; i < a->disassembly->nr && nr < 2; i++) {
		if (!writes(a, i, reg))
			continue;
		nr++;
		at = i;
	}
	a->writers[reg] = nr == 1 ? WRITER_ONE + at : WRITER_NONE;
	return a->writers[reg];
}

/* Whether an instruction always writes an address in the same object to its register. */
static bool is_constant(const struct operands *o)
{
	return o->effect == OPERAND_THREAD ||
	       (o->effect == OPERAND_ADDRESSES && o->memory.base == OPERAND_NONE);
}

/*
 * Find the instruction that wrote @reg before @position.  It is the last writer of the basic block,
 * because only there all paths agree.  Otherwise it is the only writer in the function, if it
 * always writes an address in the same object.  SIZE_MAX: it is not known.
 */
static size_t find_last_writer(struct tracking *t, size_t position, int reg)
{
	struct data_accesses *a = t->a;
	size_t writer;

	for (size_t i = position; i && !a->targets[i] && !a->wanders; i--) {
		if (++t->steps > STEPS_MAX || a->operands[i - 1].ends)
			break;
		if (writes(a, i - 1, reg))
			return i - 1;
	}
	writer = find_writer(a, reg);
	return writer != WRITER_NONE && writer - WRITER_ONE < position &&
	       is_constant(&a->operands[writer - WRITER_ONE]) ? writer - WRITER_ONE : SIZE_MAX;
}

/* Find the value of a register if it is a constant in the code. */
static bool find_number(struct tracking *t, size_t position, int reg, int64_t *ret)
{
	const size_t writer = find_last_writer(t, position, reg);
	const struct operands *o = writer == SIZE_MAX ? NULL : &t->a->operands[writer];

	if (!o || o->effect != OPERAND_ADDRESSES || o->memory.base != OPERAND_NONE ||
	    o->memory.index != OPERAND_NONE)
		return false;
	*ret = o->memory.displacement;
	return true;
}

static bool find_pointed(struct tracking *t, size_t position, int reg, int64_t displacement,
			 unsigned int depth, struct object_place *ret)
{
	struct data_accesses *a = t->a;
	size_t writer;

	if (variables_find_pointed(a->variables, a->disassembly->items[position].address, reg,
				   displacement, ret))
		return true;
	if (depth > DEPTH_MAX)
		return false;
	writer = find_last_writer(t, position, reg);
	return writer != SIZE_MAX && find_written(t, writer, displacement, depth, ret);
}

/* Compilers for x86-64 expect the stack's canary at this offset. */
#define CANARY	40

static bool is_canary(const struct memory_operand *m)
{
	return m->segment && m->base == OPERAND_NONE && m->index == OPERAND_NONE &&
	       m->displacement == CANARY;
}

enum data_access data_accesses_find(struct data_accesses *a, size_t position,
				    struct object_place *ret)
{
	const struct operands *o = &a->operands[position];
	struct tracking t = { .a = a };

	if (!a->known)
		return DATA_ACCESS_NO_INSTRUCTION;
	if (!o->accesses)
		return o->stack ? DATA_ACCESS_STACK : DATA_ACCESS_NO_OPERAND;
	if (is_canary(&o->memory))
		return DATA_ACCESS_CANARY;
	if (!a->variables)
		return DATA_ACCESS_NO_DEBUG;
	if (!variables_know(a->variables, a->disassembly->items[position].address))
		return DATA_ACCESS_NO_UNIT;
	if (!find_object(&t, position, &o->memory, 0, ret))
		return DATA_ACCESS_NO_VARIABLE;
	if (!type_layout_size(&ret->type))
		return DATA_ACCESS_NO_TYPE;
	return type_layout_element(ret, o->memory.scale) ? DATA_ACCESS_KNOWN :
							   DATA_ACCESS_BAD_OFFSET;
}
