/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Translates filter expressions into programs of the device (linux/ktrace.h, "Filters").
 */
#ifndef KTRACE_CAPTURE_KTRACE_FILTER_ENCODE_H
#define KTRACE_CAPTURE_KTRACE_FILTER_ENCODE_H

#include <linux/ktrace.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "spec/filter_expr.h"

struct filter_program {
	struct ktrace_filter_insn *insns;	/* owned */
	size_t nr, alloc;
	struct strbuf pool;	/* strings, each with a NUL behind it */
	uint64_t cost;		/* sum of ktrace_filter_cost() of all instructions */
	uint64_t highest_cost;	/* of a single instruction */
	const struct filter_node *costliest; /* its node in the tree */
	ARRAY_OF(uint16_t) labels;	/* owned; the targets of jumps */
};

void filter_program_deinit(struct filter_program *program);
DEFINE_CLEANUP(filter_program, struct filter_program, filter_program_deinit)

/*
 * Encode @tree.  Release @ret with filter_program_deinit(); it must not be used after
 * @tree is destroyed.  It is an error if the program is longer or costs more than the device
 * accepts, or if only perf_event's filters can read an operand.
 */
struct error *filter_encode(const struct filter_node *tree, struct filter_program *ret);

#endif
