/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the locations of a definition by debug information: the function itself, and all places
 * where the compiler inlined it.
 */
#ifndef KTRACE_PROBE_PLACE_H
#define KTRACE_PROBE_PLACE_H

#include "probe/binary.h"
#include "probe/definition.h"

struct probe_place {
	uint64_t address;	/* in terms of the debug information */
	Dwarf_Die unit;
	Dwarf_Die function;	/* the function that has the code */
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
	bool parameters;	/* arguments are wanted: skip the code that stores them */
	unsigned int max;	/* maximal number of locations */
	const char *source;	/* -s: the folder of the sources; NULL: where they were compiled */
};

/* Errors name the missing object, and a similar one. */
struct error *probe_places_find(const struct probe_binary *binary,
				const struct probe_definition *definition,
				const struct probe_place_options *options,
				struct probe_places *ret);
void probe_places_deinit(struct probe_places *places);
DEFINE_CLEANUP(probe_places, struct probe_places, probe_places_deinit)

#endif
