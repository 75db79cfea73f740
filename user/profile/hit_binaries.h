/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The binaries that addresses of samples lie in: those that have to be here, or be taken
 * along, to name them.
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
	const struct dso **items;	/* each once, in the order of their first hits; the
					 * binaries belong to the machine, the array is owned */
	size_t nr, alloc;
	struct hash_table table;	/* positions in items */
	struct callchain chain;
};

void hit_binaries_init(struct hit_binaries *hits);
void hit_binaries_deinit(struct hit_binaries *hits);
DEFINE_CLEANUP(hit_binaries, struct hit_binaries, hit_binaries_deinit)

/*
 * The build id of a binary as the recording tells it; NULL: it does not.  @header is that of the
 * recording.
 */
struct header;
const struct build_id *hit_binary_id(const struct dso *dso, const struct header *header);

/*
 * The same, or that of what is here now under the name that the recording has.  @is_local: it was
 * made on this machine, so its kernel may be asked.  False: nothing tells it.
 */
bool hit_binary_find_id(const struct dso *dso, const struct header *header, bool is_local,
			struct build_id *ret);

/* The name that perf's cache of binaries has for it: "[kernel.kallsyms]" for each kernel. */
const char *hit_binary_name(const struct dso *dso);

#endif
