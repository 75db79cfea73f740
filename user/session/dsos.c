// SPDX-License-Identifier: GPL-2.0
#include "session/dsos.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"

void dsos_deinit(struct dsos *dsos)
{
	for (size_t i = 0; i < dsos->nr; i++)
		dso_destroy(dsos->items[i].dso);
	free(dsos->items);
	free(dsos->index);
	*dsos = (struct dsos){ .header = NULL };
}

static bool is_dso(const struct dso_slot *slot, const struct dso_key *key)
{
	return slot->inode == key->inode && slot->device == key->device &&
	       !strcmp(slot->dso->name, key->name) &&
	       (!key->id || build_id_equal(&slot->dso->id, key->id));
}

static bool grow_index(struct dsos *dsos)
{
	size_t size = dsos->index ? (dsos->index_mask + 1) * 2 : 256;
	size_t *index = calloc(size, sizeof(*index));

	if (!index)
		return false;
	for (size_t i = 0; i < dsos->nr; i++) {
		size_t at = hash_text(dsos->items[i].dso->name) & (size - 1);

		while (index[at])
			at = (at + 1) & (size - 1);
		index[at] = i + 1;
	}
	free(dsos->index);
	dsos->index = index;
	dsos->index_mask = size - 1;
	return true;
}

/* The build id the header tells for a name; NULL: none. */
static const struct build_id *find_build_id(const struct dsos *dsos, const char *name)
{
	for (size_t i = 0; i < dsos->header->build_ids.nr; i++)
		if (!strcmp(dsos->header->build_ids.items[i].name, name))
			return &dsos->header->build_ids.items[i].id;
	return NULL;
}

struct error *dsos_find(struct dsos *dsos, enum dso_kind kind, const struct dso_key *key,
			const char *path, struct dso **ret)
{
	struct dso_slot slot = { .inode = key->inode, .device = key->device };
	const struct build_id *id = key->id;
	struct error *err;
	size_t at;

	if (dsos->nr * 2 >= dsos->index_mask && !grow_index(dsos))
		return &error_no_memory;
	at = hash_text(key->name) & dsos->index_mask;
	for (; dsos->index[at]; at = (at + 1) & dsos->index_mask) {
		struct dso_slot *known = &dsos->items[dsos->index[at] - 1];

		if (is_dso(known, key)) {
			*ret = known->dso;
			return NULL;
		}
	}
	err = dso_create(kind, key->name, path, &slot.dso);
	if (err)
		return err;
	if (!id)
		id = find_build_id(dsos, path ? path : key->name);
	if (id)
		slot.dso->id = *id;
	if (!array_push(dsos, slot)) {
		dso_destroy(slot.dso);
		return &error_no_memory;
	}
	dsos->index[at] = dsos->nr;
	*ret = slot.dso;
	return NULL;
}
