/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The binaries of a recording, each once, by name.
 */
#ifndef KTRACE_SESSION_DSOS_H
#define KTRACE_SESSION_DSOS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/hash_table.h"
#include "record/header.h"
#include "symbol/dso.h"

struct dso_slot {
	struct dso *dso;	/* owned */
	struct file_numbers numbers;	/* as in its key */
};

struct dsos {
	const struct header *header;	/* borrowed: its build ids */
	struct dso_slot *items;
	size_t nr, alloc;
	struct hash_table table;	/* positions in items */
	struct hash_table build_ids;	/* positions in the header's build ids, by name */
	size_t build_ids_seen;		/* number of indexed ones; a pipe's records may add more */
};

void dsos_deinit(struct dsos *dsos);

/* The identity of a binary among those with its name. */
struct dso_key {
	const char *name;
	struct file_numbers numbers;
	const struct build_id *id;	/* NULL: the record has none */
};

/* Find the binary of @key.  If it is new, it is created with @kind and @path (may be NULL). */
struct error *dsos_find(struct dsos *dsos, enum dso_kind kind, const struct dso_key *key,
			const char *path, struct dso **ret);

#endif
