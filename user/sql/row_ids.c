// SPDX-License-Identifier: GPL-2.0
#include "sql/sample_cursor.h"

#include <stdlib.h>

/* The row of an event that came last. */
struct row_last {
	struct row_key key;
	uint64_t repeats;	/* rows before it with this key */
	bool any;
};

struct error *row_ids_init(struct row_ids *ids, size_t nr_events)
{
	ids->last = calloc(nr_events + 1, sizeof(*ids->last));
	return ids->last ? NULL : &error_no_memory;
}

void row_ids_deinit(struct row_ids *ids)
{
	free(ids->last);
	ids->last = NULL;
}

/* Mix bits, in the same way in each process: queries may keep the numbers. */
static uint64_t mix_row_bits(uint64_t bits, uint64_t more)
{
	bits ^= more;
	bits += 0x9e3779b97f4a7c15ULL;
	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ULL;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebULL;
	return bits ^ bits >> 31;
}

static bool is_same_key(const struct row_key *a, const struct row_key *b)
{
	return a->time == b->time && a->cpu == b->cpu && a->tid == b->tid;
}

int64_t row_ids_next(struct row_ids *ids, const struct row_key *key)
{
	struct row_last *last = &ids->last[key->event];
	uint64_t bits;

	last->repeats = last->any && is_same_key(&last->key, key) ? last->repeats + 1 : 0;
	last->key = *key;
	last->any = true;
	/* An event is a small number, which must not cancel a difference of times. */
	bits = mix_row_bits(mix_row_bits(0, key->event), key->time);
	bits = mix_row_bits(bits, key->cpu);
	bits = mix_row_bits(bits, key->tid);
	return mix_row_bits(bits, last->repeats) >> 1;
}
