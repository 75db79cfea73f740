/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the files of a binary that has run: the one with its symbols, and the one with its PLT and
 * the names that it needs to run.  Each source is asked in its turn, until both are there; a file
 * that is not the one that ran (dso_owns()) is none.
 */
#ifndef KTRACE_SYMBOL_SYMBOL_SOURCES_H
#define KTRACE_SYMBOL_SYMBOL_SOURCES_H

#include <stdbool.h>

#include "lib/cleanup.h"
#include "symbol/dso.h"
#include "symbol/elf/elf_file.h"

/* Begin with zeros. */
struct symbol_sources {
	struct elf_file symbols, runtime;
	bool has_symbols, has_runtime;
	bool changed, found;	/* a file has another build id; a file exists */
};

void symbol_sources_deinit(struct symbol_sources *sources);
DEFINE_CLEANUP(symbol_sources, struct symbol_sources, symbol_sources_deinit)

/*
 * Ask for the files of @dso.  Sets its build id, if the recording has none, and where its symbols
 * are from.
 */
void symbol_sources_ask(struct symbol_sources *sources, struct dso *dso,
			const struct symbol_options *options);

#endif
