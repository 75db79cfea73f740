/* SPDX-License-Identifier: GPL-2.0 */
/* Which rows are expanded.  Rows have numbers that do not change when they are built again. */
#ifndef KTRACE_BROWSER_EXPANSIONS_H
#define KTRACE_BROWSER_EXPANSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/hash_table.h"

struct expansions {
	struct {
		struct expansion *items;
		size_t nr, alloc;
	} changed;			/* rows that differ from the rest */
	struct hash_table table;	/* positions in changed */
	bool all;			/* every row is expanded unless it was changed */
};

void expansions_deinit(struct expansions *expansions);

/* Whether row @id is expanded; @usual: the default. */
bool expansions_has(const struct expansions *expansions, uint64_t id, bool usual);

/* Toggle the state of a row.  Returns false if memory is out. */
bool expansions_toggle(struct expansions *expansions, uint64_t id);

/* Whether everything below row @id is expanded by expansions_whole(). */
bool expansions_has_whole(const struct expansions *expansions, uint64_t id);
bool expansions_set_whole(struct expansions *expansions, uint64_t id, bool whole);

/* Expand or collapse everything. */
void expansions_set_all(struct expansions *expansions, bool all);

#endif
