// SPDX-License-Identifier: GPL-2.0
#include "profile/function_counts.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"

/* The size of the cache of addresses, a power of two. */
#define RECENT	(16 * 1024)

/* No function, or no position among its addresses. */
#define NOWHERE	SIZE_MAX

struct recent_address {
	uint64_t ip, version;
	size_t event;
	uint8_t mode;
	size_t function, address;	/* positions; NOWHERE: it is in no function */
};

struct function_counts {
	struct session_consumer consumer;
	struct recent_address *recent;	/* by hash; newer addresses replace older ones */
	ARRAY_OF(struct counted_function) functions;
	struct hash_table function_table;	/* positions in functions */
	struct hash_table address_table;	/* positions in the addresses of any function */
	ARRAY_OF(struct sample_count) totals;	/* by event */
	uint64_t unknown;
};

static struct error *count_function_sample(struct session_consumer *consumer,
					   const struct session_record *r)
{
	return function_counts_add(container_of(consumer, struct function_counts, consumer), r);
}

struct error *function_counts_create(struct function_counts **ret)
{
	struct function_counts *counts = calloc(1, sizeof(*counts));

	if (counts)
		counts->recent = calloc(RECENT, sizeof(*counts->recent));
	if (!counts || !counts->recent) {
		free(counts);
		return &error_no_memory;
	}
	counts->consumer.sample = count_function_sample;
	*ret = counts;
	return NULL;
}

void function_counts_destroy(struct function_counts *counts)
{
	if (!counts)
		return;
	array_free_each(&counts->functions, .addresses.items);
	free(counts->totals.items);
	free(counts->recent);
	hash_table_deinit(&counts->function_table);
	hash_table_deinit(&counts->address_table);
	free(counts);
}

struct session_consumer *function_counts_consumer(struct function_counts *counts)
{
	return &counts->consumer;
}

static uint64_t hash_function(const struct dso *dso, const struct symbol *symbol)
{
	return hash_key_join(hash_key_number((uintptr_t)dso), (uintptr_t)symbol);
}

static size_t find_function(const struct function_counts *counts, const struct dso *dso,
			    const struct symbol *symbol)
{
	hash_table_each(&counts->function_table, hash_function(dso, symbol), position) {
		const struct counted_function *f = &counts->functions.items[position];

		if (f->dso == dso && f->symbol == symbol)
			return position;
	}
	return NOWHERE;
}

/* NOWHERE: out of memory. */
static size_t find_or_add_function(struct function_counts *counts, const struct place *place)
{
	struct counted_function f = { .dso = place->map->dso, .symbol = place->symbol,
				      .start = place->ip - place->offset };
	size_t position = find_function(counts, f.dso, f.symbol);

	if (position != NOWHERE)
		return position;
	if (!array_push(&counts->functions, f) ||
	    !hash_table_add(&counts->function_table, hash_function(f.dso, f.symbol),
			    counts->functions.nr - 1))
		return NOWHERE;
	return counts->functions.nr - 1;
}

/* NOWHERE: out of memory. */
static size_t find_or_add_address(struct function_counts *counts, size_t function,
				  uint64_t offset, size_t event)
{
	struct counted_function *f = &counts->functions.items[function];
	uint64_t hash = hash_key_join(hash_key_join(hash_key_number(offset), function), event);
	struct address_count new = { .offset = offset, .event = event };

	hash_table_each(&counts->address_table, hash, position) {
		if (position < f->addresses.nr && f->addresses.items[position].offset == offset &&
		    f->addresses.items[position].event == event)
			return position;
	}
	if (!array_push(&f->addresses, new) ||
	    !hash_table_add(&counts->address_table, hash, f->addresses.nr - 1))
		return NOWHERE;
	return f->addresses.nr - 1;
}

/* Find the counters of a sample, and cache them; false: out of memory. */
static bool find_address(struct function_counts *counts, const struct session_record *r,
			 struct recent_address *recent)
{
	struct place place = { 0 };

	if (r->machine)
		machine_find(r->machine, r->maps, recent->mode, recent->ip, &place);
	recent->function = recent->address = NOWHERE;
	if (!place.map || !place.symbol)
		return true;
	recent->function = find_or_add_function(counts, &place);
	if (recent->function == NOWHERE)
		return false;
	recent->address = find_or_add_address(counts, recent->function, place.offset,
					      recent->event);
	return recent->address != NOWHERE;
}

static void count_one(struct sample_count *count, uint64_t period)
{
	count->samples++;
	count->period += period;
}

/* Make room for the total of the event; false: out of memory. */
static bool reach_event(struct function_counts *counts, size_t event)
{
	return array_at(&counts->totals, event, 0);
}

struct error *function_counts_add(struct function_counts *counts, const struct session_record *r)
{
	uint8_t mode = r->sample.cpumode;
	const struct maps *list = r->machine ? machine_maps(r->machine, r->maps, mode) : NULL;
	struct recent_address key = {
		.ip = r->sample.ip, .version = list ? list->version : 0,
		.event = r->event->index + 1, .mode = mode,
	};
	uint64_t hash = hash_key_join(hash_key_number(key.ip), key.version << 8 | mode);
	struct recent_address *recent;
	uint64_t period = r->sample.period;

	hash = hash_key_join(hash, key.event);
	recent = &counts->recent[hash & (RECENT - 1)];
	if (!reach_event(counts, r->event->index))
		return &error_no_memory;
	count_one(&counts->totals.items[r->event->index], period);
	if (recent->ip != key.ip || recent->version != key.version ||
	    recent->event != key.event || recent->mode != mode) {
		key.event--;
		if (!find_address(counts, r, &key))
			return &error_no_memory;
		key.event++;
		*recent = key;
	}
	if (recent->function == NOWHERE) {
		counts->unknown++;
	} else {
		struct counted_function *f = &counts->functions.items[recent->function];

		count_one(&f->all, period);
		count_one(&f->addresses.items[recent->address].count, period);
	}
	return NULL;
}

size_t function_counts_nr(const struct function_counts *counts)
{
	return counts->functions.nr;
}

const struct counted_function *function_counts_at(const struct function_counts *counts,
						  size_t position)
{
	return &counts->functions.items[position];
}

const struct counted_function *function_counts_find(const struct function_counts *counts,
						    const struct dso *dso,
						    const struct symbol *symbol)
{
	size_t position = find_function(counts, dso, symbol);

	return position == NOWHERE ? NULL : &counts->functions.items[position];
}

struct sample_count function_counts_total(const struct function_counts *counts, size_t event)
{
	return event < counts->totals.nr ? counts->totals.items[event] :
					   (struct sample_count){ 0 };
}

uint64_t function_counts_unknown(const struct function_counts *counts)
{
	return counts->unknown;
}
