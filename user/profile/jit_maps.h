/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that JIT compilers generated during a recording, as `perf inject -j` finds it.  A process
 * that maps jit-PID.dump writes its compiled functions there, with times.  Each function gets a
 * binary beside that file, jitted-PID-N.so, and MMAP2 records with its addresses and times.
 */
#ifndef KTRACE_PROFILE_JIT_MAPS_H
#define KTRACE_PROFILE_JIT_MAPS_H

#include "lib/array.h"
#include "lib/build_id.h"
#include "lib/cleanup.h"
#include "lib/hash_table.h"
#include "lib/strbuf.h"
#include "record/event.h"

struct jit_map {
	uint64_t time;		/* ns of the recording's clock */
	size_t at;		/* offset of its record in `records` */
	uint64_t index;		/* of the function in its dump */
	struct build_id id;	/* of the binary; size 0: an earlier map has it */
};

struct jit_maps {
	struct {
		struct jit_dump_file {
			char *path;
			int32_t pid;
			bool is_gone;	/* it could not be read */
			bool mapped;	/* in the records given to jit_maps_hides() so far */
		} *items;
		size_t nr, alloc;
	} dumps;
	ARRAY_OF(struct jit_map) maps;	/* in order of time */
	struct strbuf records;
	size_t next;			/* of maps */
};

void jit_maps_deinit(struct jit_maps *maps);

/* Remember the jitdump that a MMAP or MMAP2 record names; other records are ignored. */
struct error *jit_maps_watch(struct jit_maps *maps, const struct perf_event_header *header);

/*
 * Read all dumps that records named, then write the binaries and create the records, with the
 * sample_id of the first of @events.  A missing or incomplete dump causes a warning.  If a dump is
 * invalid, nothing is written.  ENOTSUP: the clock of @events is not that of the dumps.
 */
struct error *jit_maps_make(struct jit_maps *maps, const struct event_list *events);

/* The next MMAP2 record up to @time, ns; NULL: there is none. */
const struct perf_event_header *jit_maps_next(struct jit_maps *maps, uint64_t time);

/* The name of a map's binary. */
const char *jit_maps_name(const struct jit_maps *maps, const struct jit_map *map);

/*
 * Whether a record is only a process's mapping of the memory of its code, which would hide the
 * code.  The records must come in order of time.
 */
bool jit_maps_hides(struct jit_maps *maps, const struct perf_event_header *header);

#endif
