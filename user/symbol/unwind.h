/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinds call chains from a copy of the user stack, by the unwind tables of the binaries
 * (perf record --call-graph dwarf), with libdw.
 */
#ifndef KTRACE_SYMBOL_UNWIND_H
#define KTRACE_SYMBOL_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "symbol/dso.h"

struct unwinder;

/* Open the file with the unwind tables of @dso; elf NULL: it is not here. */
struct dso;
struct elf_file;
void unwind_open(const struct dso *dso, const struct symbol_options *options,
		 struct elf_file *ret);

/* A mapping of a binary's code in a process. */
struct unwind_map {
	uint64_t start, end, offset;	/* offset of start in the file */
	struct dso *dso;		/* borrowed; NULL: no file or perf map is known */
};

/* The address space of a process. */
struct unwind_space {
	uint64_t id;		/* the same as long as the process is the same */
	/*
	 * The first mapping that ends behind @address, in the current state; false: there is none.
	 */
	bool (*next)(const void *arg, uint64_t address, struct unwind_map *ret);
	const void *arg;
};

enum unwind_machine {
	UNWIND_X86_64,
	UNWIND_I386,
	UNWIND_ARM64,
};

/* The initial state of a chain. */
struct unwind_state {
	enum unwind_machine machine;
	uint64_t mask;			/* of the registers: PERF_REG_* */
	const uint64_t *registers;	/* one for each bit */
	const void *stack;
	size_t stack_size;
};

struct error *unwinder_create(const struct symbol_options *options, struct unwinder **ret);
void unwinder_destroy(struct unwinder *unwinder);

/*
 * Unwind, and store at most @max addresses, innermost first.  They are return addresses minus one,
 * so that they are inside the call.  Returns their number; the chain ends where the tables end.
 */
size_t unwinder_run(struct unwinder *unwinder, const struct unwind_space *space,
		    const struct unwind_state *state, uint64_t *ips, size_t max);

#endif
