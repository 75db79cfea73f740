// SPDX-License-Identifier: GPL-2.0
#include "session/cgroups.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "record/body.h"
#include "record/common_field.h"

void cgroups_deinit(struct cgroups *cgroups)
{
	array_free_each(cgroups, .path);
	hash_table_deinit(&cgroups->table);
	*cgroups = (struct cgroups){ 0 };
}

const char *cgroups_path(const struct cgroups *cgroups, uint64_t id)
{
	const struct cgroup *cgroup;

	hash_table_each(&cgroups->table, hash_key_number(id), n) {
		cgroup = &cgroups->items[n];
		if (cgroup->id == id)
			return cgroup->path;
	}
	return NULL;
}

struct error *cgroups_add(struct cgroups *cgroups, uint64_t id, const char *path, size_t len)
{
	struct cgroup cgroup = { .id = id };

	if (cgroups_path(cgroups, id))
		return NULL;
	cgroup.path = strndup(path, len);
	if (!cgroup.path || !array_push(cgroups, cgroup)) {
		free(cgroup.path);
		return &error_no_memory;
	}
	return hash_table_add(&cgroups->table, hash_key_number(id), cgroups->nr - 1) ?
	       NULL : &error_no_memory;
}

struct error *cgroups_apply(struct cgroups *cgroups, const struct perf_event_header *header)
{
	const struct body_cgroup *told = body_of(header, struct body_cgroup);

	return told ? cgroups_add(cgroups, told->id, told->path,
				  body_text_length(header, told->path)) : NULL;
}

/* NULL: its records do not have the common field. */
static const struct common_slot *find_slot(const struct event *event)
{
	const struct common_slot *slot = common_layout_find(&event->common, "cgroup");

	return slot && slot->type == COMMON_NUMBER ? slot : NULL;
}

bool event_has_cgroup(const struct event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_CGROUP || find_slot(event);
}

uint64_t sample_cgroup(const struct event *event, const struct sample *sample)
{
	const struct common_slot *slot;
	const void *bytes;

	if (event->attr.sample_type & PERF_SAMPLE_CGROUP)
		return sample->cgroup;
	slot = find_slot(event);
	bytes = slot ? common_slot_bytes(event, sample, slot) : NULL;
	return bytes ? common_slot_number(bytes) : 0;
}
