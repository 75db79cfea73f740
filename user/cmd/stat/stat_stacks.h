/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call chains of keys that the module counts by.  They are read as they arrive, and named by
 * the maps that their processes had then.
 */
#ifndef KTRACE_CMD_STAT_STAT_STACKS_H
#define KTRACE_CMD_STAT_STAT_STACKS_H

#include "capture/counts.h"
#include "counts/key_stacks.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "session/session.h"

/* The chains of one table of the module. */
struct stat_chains {
	struct counts_chains state;
	ARRAY_OF(struct stat_chain) known;	/* the named chains, for the table */
	struct hash_table table;
};

/* All zero: empty. session is borrowed, and has a machine. */
struct stat_stacks {
	const struct session *session;
	struct key_stacks names;
	ARRAY_OF(struct stat_pending) pending;	/* chains without a name, the oldest first */
};

/* Read the chains of @event that have arrived since the last call. */
struct error *stat_stacks_read(struct stat_stacks *stacks, struct capture *capture,
			       const struct event *event, struct stat_chains *chains);

/* Name the chains from before @time by the current maps. */
struct error *stat_stacks_name(struct stat_stacks *stacks, uint64_t time);

/* The stack of a chain by its number in the module, for key_stacks_find(). */
uint64_t stat_stacks_find(const struct stat_chains *chains, uint64_t number);

void stat_chains_deinit(struct stat_chains *chains);
void stat_stacks_deinit(struct stat_stacks *stacks);

#endif
