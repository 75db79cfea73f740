/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The binaries of a recording, each once, by name.
 */
#ifndef KTRACE_SESSION_DSOS_H
#define KTRACE_SESSION_DSOS_H

#include <stddef.h>
#include <stdint.h>

#include "record/header.h"
#include "symbol/dso.h"

struct dso_slot {
	struct dso *dso;	/* owned */
	uint64_t inode, device;
};

struct dsos {
	const struct header *header;	/* borrowed: its build ids */
	struct dso_slot *items;
	size_t nr, alloc;
	size_t *index;		/* positions + 1, by a hash of the name */
	size_t index_mask;
};

void dsos_deinit(struct dsos *dsos);

/* What says that a binary is the one we know under this name. */
struct dso_key {
	const char *name;
	uint64_t inode, device;
	const struct build_id *id;	/* NULL: the record does not tell */
};

/* The binary of @key, made with @kind and @path (may be NULL) if it is new. */
struct error *dsos_find(struct dsos *dsos, enum dso_kind kind, const struct dso_key *key,
			const char *path, struct dso **ret);

#endif
