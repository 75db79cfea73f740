// SPDX-License-Identifier: GPL-2.0
#include "session/group_read.h"

#include <stdlib.h>

#define FIRST_SLOTS 64

/* A slot of an open-addressing table; one with id 0 is free. */
struct slot {
	uint64_t id, value;
};

struct group_read {
	struct slot *slots;
	size_t nr, mask;
};

struct error *group_read_create(struct group_read **ret)
{
	struct group_read *reads = calloc(1, sizeof(*reads));

	if (reads)
		reads->slots = calloc(FIRST_SLOTS, sizeof(*reads->slots));
	if (!reads || !reads->slots) {
		free(reads);
		return &error_no_memory;
	}
	reads->mask = FIRST_SLOTS - 1;
	*ret = reads;
	return NULL;
}

void group_read_destroy(struct group_read *reads)
{
	if (!reads)
		return;
	free(reads->slots);
	free(reads);
}

static struct slot *group_read_slot(struct slot *slots, size_t mask, uint64_t id)
{
	size_t at = (id * 0x9e3779b97f4a7c15ull) >> 32 & mask;

	while (slots[at].id && slots[at].id != id)
		at = (at + 1) & mask;
	return &slots[at];
}

static struct error *group_read_grow(struct group_read *reads)
{
	size_t mask = reads->mask * 2 + 1;
	struct slot *slots = calloc(mask + 1, sizeof(*slots));

	if (!slots)
		return &error_no_memory;
	for (size_t i = 0; i <= reads->mask; i++)
		if (reads->slots[i].id)
			*group_read_slot(slots, mask, reads->slots[i].id) = reads->slots[i];
	free(reads->slots);
	reads->slots = slots;
	reads->mask = mask;
	return NULL;
}

struct error *group_read_advance(struct group_read *reads, uint64_t id, uint64_t value,
				 uint64_t *ret_delta)
{
	struct slot *slot;
	struct error *err;

	if (reads->nr * 2 > reads->mask) {
		err = group_read_grow(reads);
		if (err)
			return err;
	}
	slot = group_read_slot(reads->slots, reads->mask, id);
	reads->nr += !slot->id;
	slot->id = id;
	*ret_delta = value - slot->value;
	slot->value = value;
	return NULL;
}
