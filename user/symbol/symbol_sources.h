/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the files of a binary that has run: the one with its symbols, and the one with its PLT and
 * the names for dynamic linking.  The sources are searched in turn until both are found.  Files
 * that are not the binary that ran (dso_owns()) are ignored.
 */
#ifndef KTRACE_SYMBOL_SYMBOL_SOURCES_H
#define KTRACE_SYMBOL_SYMBOL_SOURCES_H

#include <stdbool.h>

#include "lib/cleanup.h"
#include "symbol/dso.h"
#include "symbol/elf/elf_file.h"

/* Initialize it to zeros. */
struct symbol_sources {
	struct elf_file symbols, runtime;
	bool has_symbols, has_runtime;
	bool changed, found;	/* a file has another build id; a file exists */
};

void symbol_sources_deinit(struct symbol_sources *sources);
DEFINE_CLEANUP(symbol_sources, struct symbol_sources, symbol_sources_deinit)

/*
 * Search for the files of @dso.  Sets its build id, if the recording has none, and the source of
 * its symbols.
 */
void symbol_sources_ask(struct symbol_sources *sources, struct dso *dso,
			const struct symbol_options *options);

#endif
