// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/histogram_state.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "profile/histogram/histogram_order.h"

bool histogram_is_same_entry(const struct histogram_entry *a, const struct histogram_entry *b)
{
	if (a->comm != b->comm || a->extra != b->extra || a->tid != b->tid || a->cpu != b->cpu ||
	    !a->dso != !b->dso || !a->symbol != !b->symbol || a->address != b->address)
		return false;
	if (a->dso != b->dso && histogram_compare_dsos(a, b))
		return false;
	return a->symbol == b->symbol || symbol_is_same(a->symbol, b->symbol);
}

uint64_t histogram_hash_entry(const struct histogram_entry *entry)
{
	uint64_t h = hash_key_number((uintptr_t)entry->comm);

	h = hash_key_join(h, (uint64_t)entry->tid << 32 ^ (uint32_t)entry->cpu);
	h = hash_key_join(h, entry->address);
	if (entry->extra)
		h = hash_key_join(h, (uintptr_t)entry->extra);
	if (entry->symbol)
		h = hash_key_join(h, entry->symbol->start);
	return hash_key_join(h, hash_text(histogram_dso_text(entry->dso)));
}

static bool grow_histogram(struct histogram *histogram)
{
	size_t size = histogram->table ? (histogram->mask + 1) * 2 : 1024;
	struct histogram_entry **table = calloc(size, sizeof(*table));

	if (!table)
		return false;
	for (size_t i = 0; i < histogram->all.nr; i++) {
		struct histogram_entry *entry = histogram->all.items[i];
		size_t at = histogram_hash_entry(entry) & (size - 1);

		if (entry->into)
			continue;
		while (table[at])
			at = (at + 1) & (size - 1);
		table[at] = entry;
	}
	free(histogram->table);
	histogram->table = table;
	histogram->mask = size - 1;
	return true;
}

struct histogram_entry **histogram_entry_slot(const struct histogram *histogram,
					      const struct histogram_entry *key)
{
	size_t at = histogram_hash_entry(key) & histogram->mask;

	while (histogram->table[at] && !histogram_is_same_entry(histogram->table[at], key))
		at = (at + 1) & histogram->mask;
	return &histogram->table[at];
}

/* Build the part of a place by which the keys distinguish entries. */
static struct histogram_entry make_entry_key(const struct histograms *histograms,
					     const struct call_place *place,
					     const struct histogram_task *task,
					     const struct entry_origin *origin)
{
	struct histogram_entry key = {
		.comm = task->comm,
		.tid = task->tid,
		.cpu = task->cpu,
		.extra = task->extra,
		.level = origin->level,
		.first_tid = origin->tid,
		.order = histograms->number,
		.by_path = histograms->options->verbose,
		.first_address = place->dso && !origin->is_caller ? place->address : place->ip,
	};

	/*
	 * Functions of the same name in two binaries are distinguished, but addresses without a
	 * name are not.
	 */
	if (histograms->has_dso || (histograms->has_symbol && place->symbol))
		key.dso = place->dso;
	if (!histograms->has_symbol)
		return key;
	key.symbol = place->symbol;
	/* Outside of binaries, and for callers as in perf, it is the address in memory. */
	if (!place->symbol)
		key.address = place->dso ? place->address : place->ip;
	if (origin->is_caller && key.address)
		key.address = place->ip;
	return key;
}

/* NULL: out of memory. */
static struct histogram_entry *find_or_add_entry(struct histogram *histogram,
						 const struct histogram_entry *key)
{
	struct histograms *histograms = histogram->owner;
	struct histogram_entry **slot, *entry;

	if (histogram->all.nr * 2 >= histogram->mask && !grow_histogram(histogram))
		return NULL;
	slot = histogram_entry_slot(histogram, key);
	if (*slot)
		return *slot;
	entry = histograms->entries.nr < UINT32_MAX - 1 ? malloc(sizeof(*entry)) : NULL;
	if (!entry || !array_push(&histograms->entries, entry) ||
	    !array_push(&histogram->all, entry)) {
		free(entry);
		return NULL;
	}
	*entry = *key;
	entry->number = histograms->entries.nr - 1;
	*slot = entry;
	return entry;
}

static bool is_same_task(const struct histogram_task *a, const struct histogram_task *b)
{
	return a->histogram == b->histogram && a->comm == b->comm && a->extra == b->extra &&
	       a->tid == b->tid && a->cpu == b->cpu;
}

/* The cache slot for the entry of a place in a task. */
static struct known_entry *known_entry_of(const struct histograms *histograms, uint32_t place,
					  const struct histogram_task *task)
{
	uint64_t hash = (uintptr_t)task->comm >> 4 ^ (uintptr_t)task->extra >> 4 ^
			(uint64_t)task->tid << 7 ^ (uint64_t)task->cpu << 9;

	return &histograms->known[(place + hash) % KNOWN_ENTRIES];
}

struct histogram_entry *histogram_find_or_add(struct histogram *histogram, uint32_t place,
					      const struct histogram_task *task,
					      const struct entry_origin *origin)
{
	struct histograms *histograms = histogram->owner;
	const struct call_place *where = call_tree_place(histograms->tree, place);
	struct histogram_entry key;
	struct known_entry *known;

	if (!histograms->known)
		histograms->known = calloc(KNOWN_ENTRIES, sizeof(*histograms->known));
	if (!histograms->known)
		return NULL;
	known = known_entry_of(histograms, place, task);
	/* Without a name, the entry of a caller is another one. */
	if (known->entry && known->place == place && where->symbol &&
	    is_same_task(&known->task, task))
		return known->entry;
	key = make_entry_key(histograms, where, task, origin);
	*known = (struct known_entry){ *task, place, find_or_add_entry(histogram, &key) };
	return known->entry;
}
