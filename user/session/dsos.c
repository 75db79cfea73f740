// SPDX-License-Identifier: GPL-2.0
#include "session/dsos.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "symbol/elf/elf_file.h"

void dsos_deinit(struct dsos *dsos)
{
	for (size_t i = 0; i < dsos->nr; i++)
		dso_destroy(dsos->items[i].dso);
	free(dsos->items);
	hash_table_deinit(&dsos->table);
	hash_table_deinit(&dsos->build_ids);
	*dsos = (struct dsos){ .header = NULL };
}

static uint64_t hash_key(const struct dso_key *key)
{
	uint64_t hash = hash_key_text(key->name);

	return hash_key_join(hash_key_join(hash, key->numbers.inode), key->numbers.device);
}

static uint64_t hash_build_id(uint64_t hash, const struct build_id *id)
{
	return hash_key_join(hash, hash_key_bytes(id->bytes, id->size));
}

static bool is_dso(const struct dso_slot *slot, const struct dso_key *key)
{
	return slot->numbers.inode == key->numbers.inode &&
	       slot->numbers.device == key->numbers.device &&
	       !strcmp(slot->dso->name, key->name) &&
	       (!key->id || build_id_equal(&slot->dso->id, key->id));
}

static struct dso *dsos_find_slot(const struct dsos *dsos, uint64_t hash, const struct dso_key *key)
{
	hash_table_each(&dsos->table, hash, n) {
		struct dso_slot *slot = &dsos->items[n];

		if (is_dso(slot, key))
			return slot->dso;
	}
	return NULL;
}

/*
 * Find the header's first build id for a name that equals @wanted (@equal) or differs from it
 * (@wanted NULL: any).  NULL: there is none, or it is not indexed yet.
 */
static const struct build_id *find_build_id(const struct dsos *dsos, const char *name,
					    const struct build_id *wanted, bool equal)
{
	const struct header_build_id *found = NULL;

	hash_table_each(&dsos->build_ids, hash_key_text(name), n) {
		const struct header_build_id *told = &dsos->header->build_ids.items[n];

		if (!strcmp(told->name, name) && (!found || told < found) &&
		    (!wanted || build_id_equal(&told->id, wanted) == equal))
			found = told;
	}
	return found ? &found->id : NULL;
}

/*
 * Containers may have other binaries of the same name.  The numbers identify this machine's binary;
 * a map with other numbers is of another binary.
 */
static const struct build_id *choose_build_id(const struct dsos *dsos, const char *path,
					      const struct file_numbers *numbers)
{
	const struct build_id *first = find_build_id(dsos, path, NULL, false), *other, *same;
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	struct build_id own;

	other = first ? find_build_id(dsos, path, first, false) : NULL;
	if (!other || !numbers->inode || !elf_file_open(&file, path) ||
	    !elf_file_build_id(&file, &own))
		return first;
	same = find_build_id(dsos, path, &own, true);
	if (file_match(file.fd, numbers) == FILE_SAME)
		return same ? same : first;
	return same ? find_build_id(dsos, path, &own, false) : first;
}

/* Index the new names of the header, each with all its different ids. */
static bool index_build_ids(struct dsos *dsos)
{
	for (; dsos->build_ids_seen < dsos->header->build_ids.nr; dsos->build_ids_seen++) {
		const struct header_build_id *told =
			&dsos->header->build_ids.items[dsos->build_ids_seen];

		if (!find_build_id(dsos, told->name, &told->id, true) &&
		    !hash_table_add(&dsos->build_ids, hash_key_text(told->name),
				    dsos->build_ids_seen))
			return false;
	}
	return true;
}

/*
 * Add a binary.  The first one with a name, inode and device is found by these alone, with or
 * without a build id.  Each one with a build id is found by that, too.
 */
static struct error *dsos_add(struct dsos *dsos, struct dso_slot slot, uint64_t hash, bool is_first)
{
	const struct build_id *id = &slot.dso->id;

	if (!array_push(dsos, slot)) {
		dso_destroy(slot.dso);
		return &error_no_memory;
	}
	if ((is_first && !hash_table_add(&dsos->table, hash, dsos->nr - 1)) ||
	    (id->size && !hash_table_add(&dsos->table, hash_build_id(hash, id), dsos->nr - 1)))
		return &error_no_memory;
	return NULL;
}

struct error *dsos_find(struct dsos *dsos, enum dso_kind kind, const struct dso_key *key,
			const char *path, struct dso **ret)
{
	struct dso_key plain = { .name = key->name, .numbers = key->numbers };
	struct dso_slot slot = { .numbers = key->numbers };
	const struct build_id *id = key->id;
	uint64_t hash = hash_key(key);
	struct dso *first = dsos_find_slot(dsos, hash, &plain);
	struct error *err;

	*ret = first;
	if (first && (!id || build_id_equal(&first->id, id)))
		return NULL;
	*ret = id ? dsos_find_slot(dsos, hash_build_id(hash, id), key) : NULL;
	if (*ret)
		return NULL;
	err = dso_create(kind, key->name, path, &slot.dso);
	if (err)
		return err;
	slot.dso->numbers = key->numbers;
	if (!id && !index_build_ids(dsos)) {
		dso_destroy(slot.dso);
		return &error_no_memory;
	}
	if (!id)
		id = choose_build_id(dsos, path ? path : key->name, &key->numbers);
	if (id)
		slot.dso->id = *id;
	*ret = slot.dso;
	return dsos_add(dsos, slot, hash, !first);
}
