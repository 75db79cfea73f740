/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mappings in the kernel's memory: the kernel, its modules, and programs generated at run time.
 * The kernel's symbols are read when the first address is looked up, because not every reader of a
 * recording needs them.
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
	struct kernel source;		/* source of the symbols */
	struct kernel fetched;		/* the vmlinux of a debuginfod server, for its code */
	char *landmark;			/* a symbol, and its recorded address */
	uint64_t landmark_address;
	struct hash_table names;	/* positions in the header's build ids, by short name */
	size_t names_seen;		/* number of indexed build ids */
	bool loaded;
};

/* Call kernel_maps_deinit() also after an error. */
struct error *kernel_maps_init(struct kernel_maps *kernel, struct dsos *dsos,
			       const struct symbol_options *options);
void kernel_maps_deinit(struct kernel_maps *kernel);

/*
 * Apply a map record of the kernel's memory.  It is for the kernel itself, with a symbol as
 * landmark, or for a module.  @id is the build id in the record; NULL: none.
 */
struct error *kernel_maps_apply(struct kernel_maps *kernel, const struct map *range,
				const char *name, const struct build_id *id);

/* Apply a KSYMBOL record. */
struct error *kernel_maps_apply_symbol(struct kernel_maps *kernel,
				       const struct perf_event_header *header);

/* Read the symbols, which may change the maps.  Problems are reported as warnings. */
void kernel_maps_load(struct kernel_maps *kernel);

/*
 * The vmlinux from debuginfod servers, which the first call downloads.  Its origin is
 * KERNEL_UNKNOWN if it cannot be had.
 */
const struct kernel *kernel_maps_fetch(struct kernel_maps *kernel);

#endif
