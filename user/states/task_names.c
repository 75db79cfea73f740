// SPDX-License-Identifier: GPL-2.0
#include "states/task_names.h"

#include "lib/array.h"
#include "lib/hash.h"

void task_names_deinit(struct task_names *names)
{
	hash_table_deinit(&names->table);
	free(names->items);
}

struct error *task_names_take(struct task_names *names, const struct task_name *name,
			      size_t *ret_number, bool *ret_changed)
{
	uint64_t hash = hash_key_join(hash_key_number((uint32_t)name->pid), (uint32_t)name->tid);

	hash_table_each(&names->table, hash, n) {
		struct task_name *known = &names->items[n];

		if (known->pid != name->pid || known->tid != name->tid)
			continue;
		*ret_number = known - names->items;
		*ret_changed = known->comm != name->comm;
		known->comm = name->comm;
		return NULL;
	}
	*ret_number = names->nr;
	*ret_changed = true;
	if (!hash_table_add(&names->table, hash, names->nr) || !array_push(names, *name))
		return &error_no_memory;
	return NULL;
}
