/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The binaries that a recording's map records name, and their build ids.  Symbols can be looked up
 * on another machine only if the exact version of each binary is known.
 */
#ifndef KTRACE_PERFDATA_BINARIES_H
#define KTRACE_PERFDATA_BINARIES_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "lib/hash_table.h"
#include "lib/strbuf.h"
#include "record/event.h"

struct binary;

struct binaries {
	struct binary *items;	/* each file once, in the order of the first maps */
	size_t nr, alloc;
	struct hash_table table;	/* positions in items */
	bool failed;		/* out of memory: some are missing */
};

void binaries_deinit(struct binaries *binaries);

/* Remember the binary of a MMAP or MMAP2 record that maps code; other records are ignored. */
void binaries_watch(struct binaries *binaries, const struct perf_event_header *header);

/* Whether samples of @events have addresses in binaries. */
bool binaries_matter(const struct event_list *events);

/*
 * Append the entries of the BUILD_ID feature.  A build id comes from the map's record, or from the
 * mapped file if its device and inode prove that it is the same file.  Several binaries may share a
 * name: if the id of one of them is unknown, none gets an entry.
 */
void binaries_add_build_ids(struct binaries *binaries, struct strbuf *ret);

/* Append one entry.  @mode is PERF_RECORD_MISC_KERNEL or PERF_RECORD_MISC_USER. */
struct build_id;
void binaries_add_entry(const char *name, uint8_t mode, const struct build_id *id,
			struct strbuf *ret);

#endif
