// SPDX-License-Identifier: GPL-2.0
#include "capture/ktrace/filter_encode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

/*
 * While a program is built, a forward jump has the number of a label, from here on.  A tree has
 * fewer nodes than there are labels, and fewer instructions than this.
 */
#define FIRST_LABEL	0x8000

void filter_program_deinit(struct filter_program *program)
{
	free(program->insns);
	free(program->labels.items);
	strbuf_deinit(&program->pool);
	*program = (struct filter_program){ 0 };
}

/* Add an instruction of zeros; NULL: no memory.  It is valid until the next one is added. */
static struct ktrace_filter_insn *encode_add(struct filter_program *program)
{
	if (!array_grow((void **)&program->insns, program->nr, &program->alloc,
			sizeof(*program->insns)))
		return NULL;
	program->insns[program->nr] = (struct ktrace_filter_insn){ 0 };
	return &program->insns[program->nr++];
}

/* Add a label; 0: no memory. */
static uint16_t encode_label(struct filter_program *program)
{
	return array_push(&program->labels, 0) ? FIRST_LABEL + program->labels.nr - 1 : 0;
}

/* Bind a label: its jumps lead to the next instruction. */
static void encode_put_label(struct filter_program *program, uint16_t label)
{
	program->labels.items[label - FIRST_LABEL] = program->nr;
}

static void encode_resolve(const struct filter_program *program, uint16_t *target)
{
	if (*target >= FIRST_LABEL && *target < KTRACE_FILTER_REJECT)
		*target = program->labels.items[*target - FIRST_LABEL];
}

static struct error *set_operand(const struct filter_node *node, struct ktrace_filter_insn *insn)
{
	const struct field *field = node->field;

	if (!field) {
		insn->src = KTRACE_FILTER_SRC_FIELD;
		insn->offset = node->common->number;
		insn->width = node->common->size;
		if (!node->is_string && filter_node_is_signed(node))
			insn->flags = KTRACE_FILTER_SIGNED;
		return NULL;
	}
	/* This is the thread id, which the device knows before the record exists. */
	if (!strcmp(field->name, "common_pid") && !node->is_string) {
		insn->src = KTRACE_FILTER_SRC_FIELD;
		insn->offset = KTRACE_FIELD_TID;
		insn->width = KTRACE_FIELD_SLOT(KTRACE_FIELD_TID);
		insn->flags = KTRACE_FILTER_SIGNED;
		return NULL;
	}
	insn->offset = field->offset;
	insn->width = field->size;
	switch (field->kind) {
	case FIELD_DYNAMIC_STRING:
		insn->src = KTRACE_FILTER_SRC_DATA_LOC;
		return NULL;
	case FIELD_REL_STRING:
		insn->src = KTRACE_FILTER_SRC_REL_LOC;
		return NULL;
	default:
		break;
	}
	insn->src = KTRACE_FILTER_SRC_RECORD;
	if (node->is_string && field->kind == FIELD_INTEGER)
		return error_hint(error_new(EOPNOTSUPP, "The device cannot filter on '%s': its record "
					    "holds a pointer, not the string", field->name),
				  "Record with --via=perf, whose filter follows the pointer");
	if (field->is_signed && !node->is_string)
		insn->flags = KTRACE_FILTER_SIGNED;
	return NULL;
}

static struct error *add_string(struct filter_program *program, const char *text, size_t len,
				struct ktrace_filter_insn *insn)
{
	if (program->pool.len + len + 1 > KTRACE_FILTER_MAX_POOL)
		return error_hint(error_new(E2BIG, "The strings of the filter take more than %d bytes",
					    KTRACE_FILTER_MAX_POOL),
				  "Record with --via=perf, or split the filter over several -e");
	insn->value = (uint64_t)program->pool.len << 32 | len;
	strbuf_add(&program->pool, text, len);
	strbuf_addch(&program->pool, '\0');
	return program->pool.failed ? &error_no_memory : NULL;
}

static void encode_add_cost(struct filter_program *program, const struct filter_node *node,
			    const struct ktrace_filter_insn *insn)
{
	uint64_t cost = ktrace_filter_cost(insn, program->pool.data);

	program->cost += cost;
	if (cost > program->highest_cost) {
		program->highest_cost = cost;
		program->costliest = node;
	}
}

/*
 * Sets the operator of a comparison.  For an operator that the device does not have, the opposite
 * is used, and the targets are exchanged.
 */
static void encode_operator(struct ktrace_filter_insn *insn, enum filter_operator op)
{
	static const uint8_t ops[] = {
		[FILTER_OP_EQ] = KTRACE_FILTER_EQ, [FILTER_OP_NE] = KTRACE_FILTER_EQ,
		[FILTER_OP_LT] = KTRACE_FILTER_LT, [FILTER_OP_GE] = KTRACE_FILTER_LT,
		[FILTER_OP_GT] = KTRACE_FILTER_GT, [FILTER_OP_LE] = KTRACE_FILTER_GT,
		[FILTER_OP_BAND] = KTRACE_FILTER_BAND, [FILTER_OP_GLOB] = KTRACE_FILTER_GLOB,
	};
	uint16_t jt = insn->jt;

	insn->op = ops[op];
	if (op == FILTER_OP_NE || op == FILTER_OP_GE || op == FILTER_OP_LE) {
		insn->jt = insn->jf;
		insn->jf = jt;
	}
}

static struct error *encode_comparison(struct filter_program *program,
				       const struct filter_node *node, uint16_t jt, uint16_t jf)
{
	struct ktrace_filter_insn *insn = encode_add(program);
	const char *text = node->text;
	size_t len = node->text_len;
	struct error *err;

	if (!insn)
		return &error_no_memory;
	*insn = (struct ktrace_filter_insn){ .jt = jt, .jf = jf, .value = node->number };
	err = set_operand(node, insn);
	if (err)
		return err;
	encode_operator(insn, node->op);
	if (node->is_string && insn->op == KTRACE_FILTER_EQ)
		insn->op = KTRACE_FILTER_STREQ;
	/* As in ftrace, a pattern that begins with '!' selects texts that do not match. */
	if (insn->op == KTRACE_FILTER_GLOB && len && *text == '!') {
		insn->jt = jf;
		insn->jf = jt;
		text++;
		len--;
	}
	err = node->is_string ? add_string(program, text, len, insn) : NULL;
	if (!err)
		encode_add_cost(program, node, insn);
	return err;
}

/* Whether a value can be the operand of an instruction. */
static bool is_operand_value(const struct filter_node *value)
{
	return value->kind != FILTER_ARITHMETIC;
}

/*
 * Add an accumulator instruction, which continues at the next one.  The operand is a value, or, if
 * that is NULL, a register.
 */
static struct error *encode_step(struct filter_program *program, uint8_t op,
				 const struct filter_node *value, unsigned int number)
{
	struct ktrace_filter_insn *insn = encode_add(program);
	struct error *err = NULL;

	if (!insn)
		return &error_no_memory;
	insn->op = op;
	insn->jt = insn->jf = program->nr;
	insn->width = 8;
	if (!value) {
		insn->src = KTRACE_FILTER_SRC_REGISTER;
		insn->offset = number;
	} else if (value->kind == FILTER_NUMBER) {
		insn->src = KTRACE_FILTER_SRC_VALUE;
		insn->value = value->number;
	} else {
		err = set_operand(value, insn);
	}
	if (!err)
		program->cost += ktrace_filter_cost(insn, program->pool.data);
	return err;
}

static struct error *encode_value(struct filter_program *program, const struct filter_node *value,
				  unsigned int number);

/*
 * Load the left one of two values.  The right one is put into the register @number, unless it can
 * be an operand itself; registers from @number on are free.
 */
static struct error *encode_pair(struct filter_program *program, const struct filter_node *left,
				 const struct filter_node *right, unsigned int number)
{
	struct error *err;

	if (is_operand_value(right))
		return encode_value(program, left, number);
	if (number == KTRACE_FILTER_REGISTERS)
		return error_hint(error_new(E2BIG, "The filter needs more than %d results at once, "
					    "which the device does not keep", KTRACE_FILTER_REGISTERS),
				  "Write the operand in parentheses first, or record with "
				  "--via=perf");
	err = encode_value(program, right, number);
	if (!err)
		err = encode_step(program, KTRACE_FILTER_STORE, NULL, number);
	return err ? err : encode_value(program, left, number + 1);
}

/* Whether the sides of an operation can be exchanged. */
static bool is_commutative(uint8_t op)
{
	return op == KTRACE_FILTER_ADD || op == KTRACE_FILTER_MUL || op == KTRACE_FILTER_AND ||
	       op == KTRACE_FILTER_OR || op == KTRACE_FILTER_XOR;
}

/* The number of registers that a value needs. */
static unsigned int count_registers(const struct filter_node *value)
{
	unsigned int first, second, left;

	if (is_operand_value(value))
		return 0;
	/* The right one is computed before the left one, unless they can be exchanged. */
	left = count_registers(value->left);
	first = count_registers(value->right);
	second = left;
	if (is_commutative(value->arithmetic) && left > first) {
		second = first;
		first = left;
	}
	if (is_operand_value(value->right) ||
	    (is_commutative(value->arithmetic) && is_operand_value(value->left)))
		return first > second ? first : second;
	return first > second + 1 ? first : second + 1;
}

/* Load a value into the accumulator; registers from @number on are free. */
static struct error *encode_value(struct filter_program *program, const struct filter_node *value,
				  unsigned int number)
{
	const struct filter_node *left = value->left, *right = value->right;
	uint8_t op = value->arithmetic;
	struct ktrace_filter_insn *insn;
	struct error *err;

	if (is_operand_value(value))
		return encode_step(program, KTRACE_FILTER_LOAD, value, 0);
	if (is_commutative(op) && !is_operand_value(right) &&
	    (is_operand_value(left) || count_registers(left) > count_registers(right))) {
		left = value->right;
		right = value->left;
	}
	err = encode_pair(program, left, right, number);
	if (!err)
		err = encode_step(program, op, is_operand_value(right) ? right : NULL, number);
	if (err)
		return err;
	insn = &program->insns[program->nr - 1];
	if (op == KTRACE_FILTER_DIV || op == KTRACE_FILTER_MOD)
		insn->jf = KTRACE_FILTER_REJECT;
	if (ktrace_filter_can_be_signed(op) && filter_operation_is_signed(value))
		insn->flags |= KTRACE_FILTER_SIGNED_OP;
	return NULL;
}

static struct error *encode_calculated(struct filter_program *program,
				       const struct filter_node *node, uint16_t jt, uint16_t jf)
{
	struct error *err = encode_pair(program, node->left, node->right, 0);
	struct ktrace_filter_insn *insn;

	if (!err)
		err = encode_step(program, KTRACE_FILTER_ACC_EQ,
				  is_operand_value(node->right) ? node->right : NULL, 0);
	if (err)
		return err;
	insn = &program->insns[program->nr - 1];
	insn->jt = jt;
	insn->jf = jf;
	encode_operator(insn, node->op);
	insn->op += KTRACE_FILTER_ACC_EQ - KTRACE_FILTER_EQ;
	if (ktrace_filter_can_be_signed(insn->op) && filter_operation_is_signed(node))
		insn->flags |= KTRACE_FILTER_SIGNED_OP;
	return NULL;
}

/*
 * Instructions are emitted in the order of the text, so all jumps inside and out of a subtree go
 * forward.
 */
static struct error *encode(struct filter_program *program, const struct filter_node *node,
			    uint16_t jt, uint16_t jf)
{
	uint16_t next;
	struct error *err;

	switch (node->kind) {
	case FILTER_NOT:
		return encode(program, node->left, jf, jt);
	case FILTER_COMPARE:
		return encode_comparison(program, node, jt, jf);
	case FILTER_CALCULATED:
		return encode_calculated(program, node, jt, jf);
	default:
		break;
	}
	next = encode_label(program);
	if (!next)
		return &error_no_memory;
	if (node->kind == FILTER_AND)
		err = encode(program, node->left, next, jf);
	else
		err = encode(program, node->left, jt, next);
	encode_put_label(program, next);
	return err ? err : encode(program, node->right, jt, jf);
}

static struct error *cost_error(const struct filter_program *program)
{
	const struct filter_node *node = program->costliest;

	return error_hint(error_new(E2BIG, "The filter may have to compare %llu bytes of one "
				    "event, and the device allows %u: comparing with \"%s\" alone "
				    "takes %llu",
				    (unsigned long long)program->cost, KTRACE_FILTER_MAX_COST,
				    node->text, (unsigned long long)program->highest_cost),
			  "Use patterns with shorter texts between two '*', or record with "
			  "--via=perf");
}

struct error *filter_encode(const struct filter_node *tree, struct filter_program *ret)
{
	_cleanup_(filter_program) struct filter_program program = { .pool = STRBUF_INIT };
	struct error *err = encode(&program, tree, KTRACE_FILTER_ACCEPT, KTRACE_FILTER_REJECT);

	if (err)
		return err;
	if (program.nr > KTRACE_FILTER_MAX_INSNS)
		return error_hint(error_new(E2BIG, "The filter has %zu comparisons and steps of arithmetic, "
					    "and the device takes %d", program.nr, KTRACE_FILTER_MAX_INSNS),
				  "Record with --via=perf, or split the filter over several -e");
	for (size_t i = 0; i < program.nr; i++) {
		encode_resolve(&program, &program.insns[i].jt);
		encode_resolve(&program, &program.insns[i].jf);
	}
	/* Comparisons of numbers alone never cost that much. */
	if (program.cost > KTRACE_FILTER_MAX_COST)
		return cost_error(&program);
	*ret = program;
	program = (struct filter_program){ 0 };
	return NULL;
}
