/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the places that a definition stands for, by debug information: the function itself,
 * and wherever the compiler inlined it.
 */
#ifndef KTRACE_PROBE_PLACE_H
#define KTRACE_PROBE_PLACE_H

#include "probe/binary.h"
#include "probe/definition.h"

struct probe_place {
	uint64_t address;	/* in terms of the debug information */
	Dwarf_Die unit;
	Dwarf_Die function;	/* the real one, which has the code */
	Dwarf_Die scope;	/* whose variables are meant: the function, or an inlined one */
	bool inlined;		/* scope was inlined into function */
};

struct probe_places {
	struct probe_place *items;	/* in the order of the debug information */
	size_t nr, alloc;
	bool skipped_prologue;	/* the code in front of the function's first line was skipped */
	size_t nr_inlined;	/* left out because of no_inlines */
};

struct probe_place_options {
	bool no_inlines;
	bool parameters;	/* arguments are wanted: wait until they are where they belong */
	unsigned int max;	/* the most places */
	const char *source;	/* -s: where the sources are; NULL: where they were compiled */
};

/* Errors say what was not found, and what is near it. */
struct error *probe_places_find(const struct probe_binary *binary,
				const struct probe_definition *definition,
				const struct probe_place_options *options,
				struct probe_places *ret);
void probe_places_deinit(struct probe_places *places);
DEFINE_CLEANUP(probe_places, struct probe_places, probe_places_deinit)

#endif
