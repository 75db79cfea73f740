/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call chains of samples as numbers, for outputs that write a chain once and refer to it.
 * The memory that this takes depends on how many different chains there are, not on how many
 * samples have them.
 */
#ifndef KTRACE_PROFILE_SAMPLE_STACKS_H
#define KTRACE_PROFILE_SAMPLE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "session/session.h"
#include "symbol/dso.h"

struct sample_stacks;

/* No stack, and above the outermost frame. */
#define SAMPLE_STACK_NONE	0

struct stack_frame {
	const char *name;	/* of the function; of code without a symbol, "[BINARY]" */
	const struct dso *dso;	/* NULL: nothing is known to be mapped there */
	uint64_t address;	/* of a frame without a symbol, in the binary; else 0 */
	bool kernel, inlined, unknown;	/* unknown: it has no symbol */
};

struct error *sample_stacks_create(struct sample_stacks **ret);
void sample_stacks_destroy(struct sample_stacks *stacks);

/*
 * Find or add the stack of a sample: its call chain; without one, where the sample was.  Samples
 * of tracepoints have only chains.  The only error is to be out of memory.
 */
struct error *sample_stacks_find(struct sample_stacks *stacks, const struct session_record *r,
				 uint32_t *ret);

/* All stacks have numbers from 1 to below that; each has a higher one than its caller. */
uint32_t sample_stacks_end(const struct sample_stacks *stacks);

/* The stack without its innermost frame; SAMPLE_STACK_NONE: it has no other. */
uint32_t sample_stacks_caller(const struct sample_stacks *stacks, uint32_t stack);

/*
 * The number of the innermost frame's place: equal places have equal numbers, which are small.
 */
uint32_t sample_stacks_place(const struct sample_stacks *stacks, uint32_t stack);

/* Describe the innermost frame; name is valid until the next call, or longer. */
void sample_stacks_frame(struct sample_stacks *stacks, uint32_t stack, struct stack_frame *ret);

#endif
