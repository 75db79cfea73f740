// SPDX-License-Identifier: GPL-2.0
#include "filter/filter.h"

#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/limits.h>

#include "fields/common_fields.h"

static bool is_string_op(u8 op)
{
	return op == KTRACE_FILTER_STREQ || op == KTRACE_FILTER_GLOB;
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
	bool string = is_string_op(insn->op);

	switch (insn->src) {
	case KTRACE_FILTER_SRC_RECORD:
		return (string || is_number_width(insn->width)) &&
		       is_in_record(insn->offset, insn->width);
	case KTRACE_FILTER_SRC_DATA_LOC:
	case KTRACE_FILTER_SRC_REL_LOC:
		/*
		 * The size of the array is in the raw data, so it is checked when the
		 * filter runs.
		 */
		return (string || is_number_width(insn->width)) &&
		       is_in_record(insn->offset, sizeof(u32));
	case KTRACE_FILTER_SRC_FIELD:
		return insn->width && string == (insn->offset == KTRACE_FIELD_COMM) &&
		       insn->width == ktrace_common_fields_operand(insn->offset);
	default:
		return false;
	}
}

static bool is_value(const struct ktrace_filter_insn *insn, u32 pool_bytes)
{
	u32 offset = insn->value >> 32, len = insn->value;

	if (!is_string_op(insn->op))
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

static bool is_insn(const struct ktrace_filter_insn *insn, u32 index, u32 nr_insns,
		    u32 pool_bytes)
{
	u8 flags = is_string_op(insn->op) ? 0 : KTRACE_FILTER_SIGNED;

	if (insn->op < KTRACE_FILTER_EQ || insn->op > KTRACE_FILTER_GLOB)
		return false;
	if (insn->flags & ~flags || insn->reserved)
		return false;
	return is_operand(insn) && is_value(insn, pool_bytes) &&
	       is_target(insn->jt, index, nr_insns) &&
	       is_target(insn->jf, index, nr_insns);
}

int ktrace_filter_verify_program(const struct ktrace_filter_insn *insns, u32 nr_insns,
				 u32 pool_bytes)
{
	DECLARE_BITMAP(reached, KTRACE_FILTER_MAX_INSNS) = { 1 };
	const struct ktrace_filter_insn *insn;
	u32 i;

	if (!nr_insns || nr_insns > KTRACE_FILTER_MAX_INSNS ||
	    pool_bytes > KTRACE_FILTER_MAX_POOL)
		return -EINVAL;

	/*
	 * Jumps go forward only, so we have seen all jumps to an instruction before we come
	 * to it.
	 */
	for (i = 0; i < nr_insns; i++) {
		insn = &insns[i];
		if (!test_bit(i, reached) || !is_insn(insn, i, nr_insns, pool_bytes))
			return -EINVAL;
		if (insn->jt < nr_insns)
			__set_bit(insn->jt, reached);
		if (insn->jf < nr_insns)
			__set_bit(insn->jf, reached);
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
