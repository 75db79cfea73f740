/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call chains as parts of keys.  The module gives addresses in the memory of one process; a stack
 * consists of places in binaries, so that two executions of a program have the same, and one that
 * has ended keeps its names.
 */
#ifndef KTRACE_COUNTS_KEY_STACKS_H
#define KTRACE_COUNTS_KEY_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/build_id.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/hash_table.h"
#include "session/machine.h"
#include "session/process.h"

/* A place in code.  The strings belong to the stacks. */
struct key_frame {
	const char *symbol;	/* NULL: unknown */
	const char *binary;	/* its short name; NULL: nothing is known to be mapped there */
	uint64_t address;	/* in the binary's file; in memory: of the kernel, or without one */
	struct build_id id;	/* of the binary; empty: not known */
	int32_t pid;		/* whose memory, without a binary */
	bool kernel;
};

struct key_stack {
	uint32_t *frames;	/* the innermost first; numbers for key_stacks_frame() */
	size_t nr;
};

/* Zeroed ones are empty. */
struct key_stacks {
	struct {
		struct key_frame *items;
		size_t nr, alloc;
	} frames;
	struct {
		struct key_stack *items;
		size_t nr, alloc;
	} stacks;
	struct hash_table frame_table, stack_table;
};

/* What keys have in the place of a stack whose maps are not known yet, or where there is none. */
#define KEY_STACK_UNNAMED	UINT64_MAX
#define KEY_STACK_NONE		0

/*
 * Name a chain of @nr addresses in the memory of process @pid, as it is mapped in @processes now;
 * 0: the kernel's.  *ret is the number of the stack, above 0; equal stacks have equal numbers.
 */
struct error *key_stacks_add(struct key_stacks *stacks, struct machine *machine,
			     struct processes *processes, int32_t pid, const uint64_t *ips,
			     size_t nr, uint64_t *ret);

/* A stack by its number; NULL: there is none, or it is not named yet. */
const struct key_stack *key_stacks_find(const struct key_stacks *stacks, uint64_t number);

const struct key_frame *key_stacks_frame(const struct key_stacks *stacks, uint32_t number);

void key_stacks_deinit(struct key_stacks *stacks);
DEFINE_CLEANUP(key_stacks, struct key_stacks, key_stacks_deinit)

#endif
