/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The binaries that a recording's map records name, and their build ids.  Whoever looks
 * up the addresses on another machine must know which version of a binary ran.
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
	struct binary *items;	/* each file once, in the order of its first map */
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
 * Append the entries of the BUILD_ID feature.  A build id is that of the map's record, or is read
 * from the file that was mapped, if its numbers of device and inode prove that it is here.
 * Of several binaries with one name, none gets an entry if the id of one is not known.
 */
void binaries_add_build_ids(struct binaries *binaries, struct strbuf *ret);

/* Append one entry.  @mode is PERF_RECORD_MISC_KERNEL or PERF_RECORD_MISC_USER. */
struct build_id;
void binaries_add_entry(const char *name, uint8_t mode, const struct build_id *id,
			struct strbuf *ret);

#endif
