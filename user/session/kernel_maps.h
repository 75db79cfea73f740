/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is mapped in the kernel: itself, its modules, programs made at run
 * time; and the kernel's symbols, read with the first address that is asked
 * for: not all who read a recording want to know.
 */
#ifndef KTRACE_SESSION_KERNEL_MAPS_H
#define KTRACE_SESSION_KERNEL_MAPS_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "session/dsos.h"
#include "session/map.h"
#include "symbol/kernel.h"

struct kernel_maps {
	struct maps *maps;
	struct dsos *dsos;		/* borrowed */
	const struct symbol_options *options;
	struct dso *dso;		/* the kernel itself */
	struct kernel source;		/* of the symbols */
	char *landmark;			/* a symbol, and where it was */
	uint64_t landmark_address;
	struct hash_table names;	/* positions in the header's build ids, by short name */
	size_t names_seen;		/* of them */
	bool loaded, failed;		/* failed: it was said that symbols cannot be read */
};

/* kernel_maps_deinit() also after an error. */
struct error *kernel_maps_init(struct kernel_maps *kernel, struct dsos *dsos,
			       const struct symbol_options *options);
void kernel_maps_deinit(struct kernel_maps *kernel);

/*
 * A map record of the kernel's: itself, with a symbol to go by, or a module; @id is
 * the build id it tells, NULL: none.
 */
struct error *kernel_maps_apply(struct kernel_maps *kernel, const struct map *range,
				const char *name, const struct build_id *id);

/* A KSYMBOL record. */
struct error *kernel_maps_apply_symbol(struct kernel_maps *kernel,
				       const struct perf_event_header *header);

/* Read the symbols, which may change the maps.  What is wrong is a warning. */
void kernel_maps_load(struct kernel_maps *kernel);

#endif
