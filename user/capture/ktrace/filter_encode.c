// SPDX-License-Identifier: GPL-2.0
#include "capture/ktrace/filter_encode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void filter_program_deinit(struct filter_program *program)
{
	free(program->insns);
	strbuf_deinit(&program->pool);
	*program = (struct filter_program){ 0 };
}

static size_t count_comparisons(const struct filter_node *node)
{
	if (node->kind == FILTER_COMPARE)
		return 1;
	return count_comparisons(node->left) + (node->right ? count_comparisons(node->right) : 0);
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
	/* This is the thread id, which the device knows before the record is there. */
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

static void swap_targets(struct ktrace_filter_insn *insn)
{
	uint16_t jt = insn->jt;

	insn->jt = insn->jf;
	insn->jf = jt;
}

static struct error *encode_comparison(struct filter_program *program,
				       const struct filter_node *node, uint16_t jt, uint16_t jf)
{
	struct ktrace_filter_insn *insn = &program->insns[program->nr++];
	const char *text = node->text;
	size_t len = node->text_len;
	struct error *err;

	*insn = (struct ktrace_filter_insn){ .jt = jt, .jf = jf, .value = node->number };
	err = set_operand(node, insn);
	if (err)
		return err;

	switch (node->op) {
	case FILTER_OP_NE:
		swap_targets(insn);
		/* fallthrough */
	case FILTER_OP_EQ:
		insn->op = node->is_string ? KTRACE_FILTER_STREQ : KTRACE_FILTER_EQ;
		break;
	case FILTER_OP_GE:
		swap_targets(insn);
		/* fallthrough */
	case FILTER_OP_LT:
		insn->op = KTRACE_FILTER_LT;
		break;
	case FILTER_OP_LE:
		swap_targets(insn);
		/* fallthrough */
	case FILTER_OP_GT:
		insn->op = KTRACE_FILTER_GT;
		break;
	case FILTER_OP_BAND:
		insn->op = KTRACE_FILTER_BAND;
		break;
	case FILTER_OP_GLOB:
		insn->op = KTRACE_FILTER_GLOB;
		/* As in ftrace, a pattern that begins with '!' selects what does not match. */
		if (len && *text == '!') {
			swap_targets(insn);
			text++;
			len--;
		}
		break;
	}
	err = node->is_string ? add_string(program, text, len, insn) : NULL;
	if (!err)
		encode_add_cost(program, node, insn);
	return err;
}

/*
 * Instructions are emitted in the order of the text, so all jumps inside of a subtree and out
 * of it go forward.
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
	default:
		break;
	}
	next = program->nr + count_comparisons(node->left);
	if (node->kind == FILTER_AND)
		err = encode(program, node->left, next, jf);
	else
		err = encode(program, node->left, jt, next);
	return err ? err : encode(program, node->right, jt, jf);
}

static struct error *cost_error(const struct filter_program *program)
{
	const struct filter_node *node = program->costliest;

	return error_hint(error_new(E2BIG, "The filter may have to look at %llu bytes of one event, "
				    "and the device takes %u: comparing with \"%s\" alone takes %llu",
				    (unsigned long long)program->cost, KTRACE_FILTER_MAX_COST,
				    node->text, (unsigned long long)program->highest_cost),
			  "Use patterns with less between two '*', or record with --via=perf");
}

struct error *filter_encode(const struct filter_node *tree, struct filter_program *ret)
{
	_cleanup_(filter_program) struct filter_program program = { .pool = STRBUF_INIT };
	size_t nr = count_comparisons(tree);
	struct error *err;

	if (nr > KTRACE_FILTER_MAX_INSNS)
		return error_hint(error_new(E2BIG, "The filter has %zu comparisons, and the device takes %d",
					    nr, KTRACE_FILTER_MAX_INSNS),
				  "Record with --via=perf, or split the filter over several -e");
	program.insns = calloc(nr, sizeof(*program.insns));
	if (!program.insns)
		return &error_no_memory;
	err = encode(&program, tree, KTRACE_FILTER_ACCEPT, KTRACE_FILTER_REJECT);
	if (err)
		return err;
	/* Comparisons of numbers alone never cost that much. */
	if (program.cost > KTRACE_FILTER_MAX_COST)
		return cost_error(&program);
	*ret = program;
	program = (struct filter_program){ 0 };
	return NULL;
}
