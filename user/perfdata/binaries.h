/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The binaries a recording maps, by its map records, and their build ids: who
 * names the addresses elsewhere must know which version ran.
 */
#ifndef KTRACE_PERFDATA_BINARIES_H
#define KTRACE_PERFDATA_BINARIES_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "lib/strbuf.h"
#include "record/event.h"

struct binary;

struct binaries {
	struct binary *slots;	/* open addressing, by name */
	size_t nr, mask;
	bool failed;		/* memory was out: some are missing */
};

void binaries_deinit(struct binaries *binaries);

/* Take note of a MMAP or MMAP2 of code; other records are ignored. */
void binaries_watch(struct binaries *binaries, const struct perf_event_header *header);

/* Do samples of @events have addresses in binaries? */
bool binaries_matter(const struct event_list *events);

/*
 * Append the entries of the BUILD_ID feature, as the files are now; files
 * without a build id have none.
 */
void binaries_add_build_ids(const struct binaries *binaries, struct strbuf *ret);

/* One entry; @mode: PERF_RECORD_MISC_KERNEL or _USER. */
struct build_id;
void binaries_add_entry(const char *name, uint8_t mode, const struct build_id *id,
			struct strbuf *ret);

#endif
