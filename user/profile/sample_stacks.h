/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call chains of samples as numbers, for outputs that write a chain once and refer to it.  The
 * memory depends on the number of different chains, not on the number of samples.
 */
#ifndef KTRACE_PROFILE_SAMPLE_STACKS_H
#define KTRACE_PROFILE_SAMPLE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "session/session.h"
#include "symbol/dso.h"

struct sample_stacks;

/* No stack, or the caller of an outermost frame. */
#define SAMPLE_STACK_NONE	0

struct stack_frame {
	const char *name;	/* of the function; "[BINARY]" for code without a symbol */
	const struct dso *dso;	/* NULL: no mapping is known there */
	uint64_t address;	/* in the binary, of a frame without a symbol; else 0 */
	bool kernel, inlined, unknown;	/* unknown: it has no symbol */
};

struct error *sample_stacks_create(struct sample_stacks **ret);
void sample_stacks_destroy(struct sample_stacks *stacks);

/*
 * Find or add the stack of a sample: its call chain, or without one, the location of the sample.
 * Samples of tracepoints have only chains.  The only possible error is lack of memory.
 */
struct error *sample_stacks_find(struct sample_stacks *stacks, const struct session_record *r,
				 uint32_t *ret);

/* Stacks are numbered from 1 to below this; each has a higher number than its caller. */
uint32_t sample_stacks_end(const struct sample_stacks *stacks);

/* The stack without its innermost frame; SAMPLE_STACK_NONE: it has only one frame. */
uint32_t sample_stacks_caller(const struct sample_stacks *stacks, uint32_t stack);

/* The number of the innermost frame's place: equal places have equal, small numbers. */
uint32_t sample_stacks_place(const struct sample_stacks *stacks, uint32_t stack);

/* Describe the innermost frame; the name is valid at least until the next call. */
void sample_stacks_frame(struct sample_stacks *stacks, uint32_t stack, struct stack_frame *ret);

#endif
