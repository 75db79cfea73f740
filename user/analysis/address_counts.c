// SPDX-License-Identifier: GPL-2.0
#include "analysis/address_counts.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"

/* An address with samples of one event; those of one binary are in a list. */
struct counted_address {
	struct address_count count;
	size_t event;
	size_t previous;	/* position + 1 of another one in the binary; 0: none */
};

/* Where the list of a binary begins. */
struct counted_dso {
	const struct dso *dso;
	size_t last;		/* as previous */
};

struct address_counts {
	struct session_consumer consumer;
	struct {
		struct counted_address *items;
		size_t nr, alloc;
	} addresses;
	struct hash_table table;	/* positions in addresses */
	struct {
		struct counted_dso *items;
		size_t nr, alloc;
	} dsos;
	struct hash_table dso_table;	/* positions in dsos */
};

struct error *address_counts_create(struct address_counts **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? NULL : &error_no_memory;
}

void address_counts_clear(struct address_counts *counts)
{
	struct session_consumer consumer = counts->consumer;

	free(counts->addresses.items);
	hash_table_deinit(&counts->table);
	free(counts->dsos.items);
	hash_table_deinit(&counts->dso_table);
	*counts = (struct address_counts){ .consumer = consumer };
}

void address_counts_destroy(struct address_counts *counts)
{
	if (!counts)
		return;
	address_counts_clear(counts);
	free(counts);
}

/* Find a binary; NULL: it has no samples yet. */
static struct counted_dso *find_counted_dso(const struct address_counts *counts,
					    const struct dso *dso)
{
	size_t at;

	for (bool more = hash_table_first(&counts->dso_table, hash_key_number((uintptr_t)dso), &at);
	     more; more = hash_table_next(&counts->dso_table, &at)) {
		struct counted_dso *found;

		found = &counts->dsos.items[hash_table_value(&counts->dso_table, at)];
		if (found->dso == dso)
			return found;
	}
	return NULL;
}

/* NULL: out of memory. */
static struct counted_dso *add_counted_dso(struct address_counts *counts, const struct dso *dso)
{
	const struct counted_dso added = { .dso = dso };

	if (!hash_table_add(&counts->dso_table, hash_key_number((uintptr_t)dso),
			    counts->dsos.nr) ||
	    !array_push(&counts->dsos, added))
		return NULL;
	return &counts->dsos.items[counts->dsos.nr - 1];
}

/* Find or add an address; NULL: out of memory. */
static struct counted_address *find_counted_address(struct address_counts *counts, size_t event,
						    const struct dso *dso, uint64_t address)
{
	struct counted_address added = { .count = { .dso = dso, .address = address },
					 .event = event };
	uint64_t hash = hash_key_join(hash_key_number(address), event);
	struct counted_dso *list;
	size_t at;

	hash = hash_key_join(hash, (uintptr_t)dso);
	for (bool more = hash_table_first(&counts->table, hash, &at); more;
	     more = hash_table_next(&counts->table, &at)) {
		struct counted_address *found;

		found = &counts->addresses.items[hash_table_value(&counts->table, at)];
		if (found->count.address == address && found->count.dso == dso &&
		    found->event == event)
			return found;
	}
	list = find_counted_dso(counts, dso);
	if (!list)
		list = add_counted_dso(counts, dso);
	if (!list)
		return NULL;
	added.previous = list->last;
	if (!hash_table_add(&counts->table, hash, counts->addresses.nr) ||
	    !array_push(&counts->addresses, added))
		return NULL;
	list->last = counts->addresses.nr;
	return &counts->addresses.items[counts->addresses.nr - 1];
}

struct error *address_counts_add(struct address_counts *counts, const struct session_record *r)
{
	struct counted_address *counted;
	struct place place;
	const struct dso *dso;

	if (!r->machine)
		return NULL;
	machine_find(r->machine, r->maps, r->sample.cpumode, r->sample.ip, &place);
	if (!place.map)
		return NULL;
	dso = place.map->dso;
	counted = find_counted_address(counts, r->event->index, dso,
				       dso->shared ? place.ip : place.address);
	if (!counted)
		return &error_no_memory;
	counted->count.period += r->sample.period;
	counted->count.samples++;
	return NULL;
}

static struct error *count_address(struct session_consumer *consumer,
				   const struct session_record *r)
{
	return address_counts_add(container_of(consumer, struct address_counts, consumer), r);
}

struct session_consumer *address_counts_consumer(struct address_counts *counts)
{
	counts->consumer = (struct session_consumer){ .sample = count_address };
	return &counts->consumer;
}

static int compare_addresses(const void *x, const void *y)
{
	const struct address_count *a = x, *b = y;

	return array_descending(b->address, a->address);
}

struct error *address_counts_find(const struct address_counts *counts, size_t event,
				  const struct dso *dso, uint64_t start, uint64_t end,
				  struct address_count **ret, size_t *ret_nr)
{
	const struct counted_dso *list = find_counted_dso(counts, dso);
	struct {
		struct address_count *items;
		size_t nr, alloc;
	} found = { .items = NULL };

	for (size_t at = list ? list->last : 0; at; at = counts->addresses.items[at - 1].previous) {
		const struct counted_address *counted = &counts->addresses.items[at - 1];

		if (counted->event != event || counted->count.address < start ||
		    counted->count.address >= end)
			continue;
		if (!array_push(&found, counted->count)) {
			free(found.items);
			return &error_no_memory;
		}
	}
	if (found.nr)
		qsort(found.items, found.nr, sizeof(*found.items), compare_addresses);
	*ret = found.items;
	*ret_nr = found.nr;
	return NULL;
}
