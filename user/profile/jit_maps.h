/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that JIT compilers made while a recording was made, as `perf inject -j` finds it: a process
 * that maps jit-PID.dump says there what it compiles, and when.  Each function gets a binary beside
 * that file, jitted-PID-N.so, and MMAP2 records that say where it was mapped from when on.
 */
#ifndef KTRACE_PROFILE_JIT_MAPS_H
#define KTRACE_PROFILE_JIT_MAPS_H

#include "lib/build_id.h"
#include "lib/cleanup.h"
#include "lib/hash_table.h"
#include "lib/strbuf.h"
#include "record/event.h"

struct jit_map {
	uint64_t time;		/* ns of the recording's clock */
	size_t at;		/* of its record in `records` */
	uint64_t index;		/* of the function in its dump */
	struct build_id id;	/* of the binary; size 0: another map of it was before this */
};

struct jit_maps {
	struct {
		struct jit_dump_file {
			char *path;
			int32_t pid;
			bool is_gone;	/* it could not be read */
			bool mapped;	/* as far as the records were given to jit_maps_hides() */
		} *items;
		size_t nr, alloc;
	} dumps;
	struct {
		struct jit_map *items;
		size_t nr, alloc;
	} maps;				/* in the order of time */
	struct strbuf records;
	size_t next;			/* of maps */
};

void jit_maps_deinit(struct jit_maps *maps);

/* Remember the jitdump that a MMAP or MMAP2 record names; other records are ignored. */
struct error *jit_maps_watch(struct jit_maps *maps, const struct perf_event_header *header);

/*
 * Read all dumps that records named, then write the binaries and make the records, with the
 * sample_id of the first of @events.  A dump that is not there any more, or that breaks off,
 * causes a warning.  If there is anything wrong with one, nothing is written.  ENOTSUP: the
 * clock of @events is not that of the dumps.
 */
struct error *jit_maps_make(struct jit_maps *maps, const struct event_list *events);

/* The next MMAP2 record that is not later than @time, ns; NULL: there is none. */
const struct perf_event_header *jit_maps_next(struct jit_maps *maps, uint64_t time);

/* The name of the binary that a map is of. */
const char *jit_maps_name(const struct jit_maps *maps, const struct jit_map *map);

/*
 * Whether a record says only that a process mapped the memory that its code lies in, which would
 * hide the code.  The records must come in the order of their times.
 */
bool jit_maps_hides(struct jit_maps *maps, const struct perf_event_header *header);

#endif
