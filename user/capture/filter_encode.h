/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filter expressions as the programs the device runs (linux/ktrace.h,
 * "Filters").
 */
#ifndef KTRACE_CAPTURE_FILTER_ENCODE_H
#define KTRACE_CAPTURE_FILTER_ENCODE_H

#include <linux/ktrace.h>
#include <stddef.h>
#include <stdint.h>

#include "format/filter_expr.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"

struct filter_program {
	struct ktrace_filter_insn *insns;	/* owned */
	size_t nr;
	struct strbuf pool;	/* strings, each with a NUL behind it */
	uint64_t cost;		/* ktrace_filter_cost() of all instructions */
	uint64_t highest_cost;	/* of one of them */
	const struct filter_node *costliest; /* of the tree, which one that is */
};

void filter_program_deinit(struct filter_program *program);
DEFINE_CLEANUP(filter_program, struct filter_program, filter_program_deinit)

/*
 * @ret is to be filter_program_deinit()ed, and used as long as @tree is there.  Errors:
 * longer than the device takes, or more work, or an operand that only perf_event's
 * filters can read.
 */
struct error *filter_encode(const struct filter_node *tree, struct filter_program *ret);

#endif
