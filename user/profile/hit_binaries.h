/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The binaries that contain addresses of samples.  They have to be here, or be copied to another
 * machine, to name these addresses.
 */
#ifndef KTRACE_PROFILE_HIT_BINARIES_H
#define KTRACE_PROFILE_HIT_BINARIES_H

#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/hash_table.h"
#include "session/callchain.h"
#include "session/session.h"

struct hit_binaries {
	struct session_consumer consumer;	/* for a session that has a machine */
	const struct dso **items;	/* each once, in the order of their first hits; the binaries
					 * belong to the machine, the array is owned */
	size_t nr, alloc;
	struct hash_table table;	/* positions in items */
	struct callchain chain;
};

void hit_binaries_init(struct hit_binaries *hits);
void hit_binaries_deinit(struct hit_binaries *hits);
DEFINE_CLEANUP(hit_binaries, struct hit_binaries, hit_binaries_deinit)

/* The build id of a binary in the recording; NULL: unknown.  @header is that of the recording. */
struct header;
const struct build_id *hit_binary_id(const struct dso *dso, const struct header *header);

/*
 * As hit_binary_id(), or else the id of the current local file of that name.  @is_local: the
 * recording was made on this machine, so its kernel may be queried.  False: unknown.
 */
bool hit_binary_find_id(const struct dso *dso, const struct header *header, bool is_local,
			struct build_id *ret);

/* Its name in perf's cache of binaries: "[kernel.kallsyms]" for each kernel. */
const char *hit_binary_name(const struct dso *dso);

#endif
