// SPDX-License-Identifier: GPL-2.0
#include "browser/expansions.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"

struct expansion {
	uint64_t id;
	bool toggled, whole;
};

void expansions_deinit(struct expansions *expansions)
{
	free(expansions->changed.items);
	hash_table_deinit(&expansions->table);
	*expansions = (struct expansions){ 0 };
}

static struct expansion *find_expansion(const struct expansions *expansions, uint64_t id)
{
	hash_table_each(&expansions->table, hash_key_number(id), n) {
		struct expansion *e = &expansions->changed.items[n];

		if (e->id == id)
			return e;
	}
	return NULL;
}

/* NULL: out of memory. */
static struct expansion *find_or_add_expansion(struct expansions *expansions, uint64_t id)
{
	struct expansion *found = find_expansion(expansions, id), added = { .id = id };
	size_t nr = expansions->changed.nr;

	if (found)
		return found;
	if (!array_push(&expansions->changed, added))
		return NULL;
	if (!hash_table_add(&expansions->table, hash_key_number(id), nr)) {
		expansions->changed.nr--;
		return NULL;
	}
	return &expansions->changed.items[nr];
}

bool expansions_has(const struct expansions *expansions, uint64_t id, bool usual)
{
	const struct expansion *e = find_expansion(expansions, id);

	return (expansions->all || usual) != (e && e->toggled);
}

bool expansions_toggle(struct expansions *expansions, uint64_t id)
{
	struct expansion *e = find_or_add_expansion(expansions, id);

	if (e)
		e->toggled = !e->toggled;
	return e;
}

bool expansions_has_whole(const struct expansions *expansions, uint64_t id)
{
	const struct expansion *e = find_expansion(expansions, id);

	return e && e->whole;
}

bool expansions_set_whole(struct expansions *expansions, uint64_t id, bool whole)
{
	struct expansion *e = find_or_add_expansion(expansions, id);

	if (e) {
		e->whole = whole;
		e->toggled = false;
	}
	return e;
}

void expansions_set_all(struct expansions *expansions, bool all)
{
	expansions_deinit(expansions);
	expansions->all = all;
}
