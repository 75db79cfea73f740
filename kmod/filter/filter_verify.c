// SPDX-License-Identifier: GPL-2.0
#include "filter/filter.h"

#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/limits.h>

#include "fields/common_fields.h"

static bool is_accumulating(u8 op)
{
	return op >= KTRACE_FILTER_LOAD;
}

static bool is_division(u8 op)
{
	return op == KTRACE_FILTER_DIV || op == KTRACE_FILTER_MOD;
}

static bool is_number_width(u32 width)
{
	return width == 1 || width == 2 || width == 4 || width == 8;
}

/* Is [offset, offset + width) in the largest raw data, and not empty? */
static bool is_in_record(u32 offset, u32 width)
{
	return width && width <= KTRACE_FILTER_MAX_RECORD &&
	       offset <= KTRACE_FILTER_MAX_RECORD - width;
}

static bool is_operand(const struct ktrace_filter_insn *insn)
{
	bool string = ktrace_filter_is_text(insn->op);

	switch (insn->src) {
	case KTRACE_FILTER_SRC_RECORD:
		return (string || is_number_width(insn->width)) &&
		       is_in_record(insn->offset, insn->width);
	case KTRACE_FILTER_SRC_DATA_LOC:
	case KTRACE_FILTER_SRC_REL_LOC:
		/* The array's size is in the raw data, so it is checked when the filter runs. */
		return (string || is_number_width(insn->width)) &&
		       is_in_record(insn->offset, sizeof(u32));
	case KTRACE_FILTER_SRC_FIELD:
		return insn->width && string == (insn->offset == KTRACE_FIELD_COMM) &&
		       insn->width == ktrace_common_fields_operand(insn->offset);
	case KTRACE_FILTER_SRC_REGISTER:
		return is_accumulating(insn->op) && insn->width == sizeof(u64) &&
		       insn->offset < KTRACE_FILTER_REGISTERS;
	case KTRACE_FILTER_SRC_VALUE:
		return is_accumulating(insn->op) && insn->width == sizeof(u64) && !insn->offset;
	default:
		return false;
	}
}

static bool is_value(const struct ktrace_filter_insn *insn, u32 pool_bytes)
{
	u32 offset = insn->value >> 32, len = insn->value;

	if (is_accumulating(insn->op))
		return insn->src == KTRACE_FILTER_SRC_VALUE || !insn->value;
	if (!ktrace_filter_is_text(insn->op))
		return true;
	if (insn->op == KTRACE_FILTER_GLOB && len > KTRACE_FILTER_MAX_GLOB)
		return false;
	return offset <= pool_bytes && len <= pool_bytes - offset;
}

static bool is_target(u16 target, u32 index, u32 nr_insns)
{
	return target == KTRACE_FILTER_ACCEPT || target == KTRACE_FILTER_REJECT ||
	       (target > index && target < nr_insns);
}

static u8 possible_flags(const struct ktrace_filter_insn *insn)
{
	bool loads = insn->src != KTRACE_FILTER_SRC_REGISTER &&
		     insn->src != KTRACE_FILTER_SRC_VALUE;

	if (ktrace_filter_is_text(insn->op))
		return 0;
	return (loads ? KTRACE_FILTER_SIGNED : 0) |
	       (ktrace_filter_can_be_signed(insn->op) ? KTRACE_FILTER_SIGNED_OP : 0);
}

static bool is_insn(const struct ktrace_filter_insn *insn, u32 index, u32 nr_insns,
		    u32 pool_bytes)
{
	if (insn->op < KTRACE_FILTER_EQ || insn->op > KTRACE_FILTER_ACC_BAND)
		return false;
	if (insn->flags & ~possible_flags(insn) || insn->reserved)
		return false;
	/* An instruction that neither compares nor divides has one successor. */
	if (is_accumulating(insn->op) && insn->op < KTRACE_FILTER_ACC_EQ &&
	    !is_division(insn->op) && insn->jt != insn->jf)
		return false;
	if (insn->op == KTRACE_FILTER_STORE && insn->src != KTRACE_FILTER_SRC_REGISTER)
		return false;
	return is_operand(insn) && is_value(insn, pool_bytes) &&
	       is_target(insn->jt, index, nr_insns) &&
	       is_target(insn->jf, index, nr_insns);
}

/* Bits for the registers and the accumulator. */
#define SET_REGISTER(n)		BIT(n)
#define SET_ACCUMULATOR		BIT(KTRACE_FILTER_REGISTERS)
#define SET_ALL			(BIT(KTRACE_FILTER_REGISTERS + 1) - 1)

/* Is everything set that the instruction reads?  Adds the instruction's own results to *set. */
static bool is_set(const struct ktrace_filter_insn *insn, u8 *set)
{
	u8 reads = 0;

	if (!is_accumulating(insn->op))
		return true;
	if (insn->op != KTRACE_FILTER_LOAD)
		reads |= SET_ACCUMULATOR;
	if (insn->src == KTRACE_FILTER_SRC_REGISTER && insn->op != KTRACE_FILTER_STORE)
		reads |= SET_REGISTER(insn->offset);
	if (reads & ~*set)
		return false;
	*set |= insn->op == KTRACE_FILTER_STORE ? SET_REGISTER(insn->offset) : SET_ACCUMULATOR;
	return true;
}

int ktrace_filter_verify_program(const struct ktrace_filter_insn *insns, u32 nr_insns,
				 u32 pool_bytes)
{
	/* The registers that are set on every path to an instruction. */
	u8 set[KTRACE_FILTER_MAX_INSNS];
	DECLARE_BITMAP(reached, KTRACE_FILTER_MAX_INSNS) = { 1 };
	const struct ktrace_filter_insn *insn;
	u32 i;

	if (!nr_insns || nr_insns > KTRACE_FILTER_MAX_INSNS ||
	    pool_bytes > KTRACE_FILTER_MAX_POOL)
		return -EINVAL;

	for (i = 1; i < nr_insns; i++)
		set[i] = SET_ALL;
	set[0] = 0;
	/*
	 * Jumps go forward only, so we have seen all jumps to an instruction before we reach
	 * it.
	 */
	for (i = 0; i < nr_insns; i++) {
		insn = &insns[i];
		if (!test_bit(i, reached) || !is_insn(insn, i, nr_insns, pool_bytes) ||
		    !is_set(insn, &set[i]))
			return -EINVAL;
		if (insn->jt < nr_insns) {
			__set_bit(insn->jt, reached);
			set[insn->jt] &= set[i];
		}
		if (insn->jf < nr_insns) {
			__set_bit(insn->jf, reached);
			set[insn->jf] &= set[i];
		}
	}
	return 0;
}

u64 ktrace_filter_program_cost(const struct ktrace_filter_insn *insns, u32 nr_insns,
			       const char *pool)
{
	u64 cost = 0;
	u32 i;

	/* In the worst case a program executes all of its instructions. */
	for (i = 0; i < nr_insns; i++)
		cost += ktrace_filter_cost(&insns[i], pool);
	return cost;
}
