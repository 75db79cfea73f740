/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call chains as parts of keys.  The module reports addresses in the memory of one process.  A
 * stack consists of places in binaries, so that two executions of a program have equal stacks, and
 * an ended process keeps its names.
 */
#ifndef KTRACE_COUNTS_KEY_STACKS_H
#define KTRACE_COUNTS_KEY_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/build_id.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/hash_table.h"
#include "session/machine.h"
#include "session/process.h"

/* A place in code.  The stacks own the strings. */
struct key_frame {
	const char *symbol;	/* NULL: unknown */
	const char *binary;	/* its short name; NULL: no mapping is known there */
	uint64_t address;	/* in the binary's file; kernel or no binary: in memory */
	struct build_id id;	/* of the binary; empty: unknown */
	int32_t pid;		/* process of the address, without a binary */
	bool kernel;
};

struct key_stack {
	uint32_t *frames;	/* the innermost first; numbers for key_stacks_frame() */
	size_t nr;
};

/* Initialize it to zeros. */
struct key_stacks {
	ARRAY_OF(struct key_frame) frames;
	ARRAY_OF(struct key_stack) stacks;
	struct hash_table frame_table, stack_table;
};

/* The number of a stack in keys if its maps are not known yet, or if there is no stack. */
#define KEY_STACK_UNNAMED	UINT64_MAX
#define KEY_STACK_NONE		0

/*
 * Name a chain of @nr addresses in the memory of process @pid (0: the kernel), by its current maps
 * in
 * @processes.  *ret is the number of the stack, above 0; equal stacks have equal numbers.
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
