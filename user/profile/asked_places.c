// SPDX-License-Identifier: GPL-2.0
#include "profile/asked_places.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "format/event_format.h"
#include "lib/array.h"
#include "lib/hash.h"
#include "symbol/elf/dwarf_lines.h"

void asked_places_deinit(struct asked_places *places)
{
	function_counts_destroy(places->counts);
	free(places->unwound.items);
	hash_table_deinit(&places->table);
	callchain_deinit(&places->chain);
	strbuf_deinit(&places->text);
}

static void ask(const struct session_record *r, uint8_t mode, uint64_t ip, struct place *ret)
{
	struct source_place source;

	machine_find(r->machine, r->maps, mode, ip, ret);
	machine_sources(ret, &source, 1);
}

static struct error *add_unwound_address(struct asked_places *places, const struct place *place)
{
	const struct dso *dso = place->map ? place->map->dso : NULL;
	struct unwound_address added = { dso, place->address };
	uint64_t hash = hash_key_join(hash_key_number((uintptr_t)dso), place->address);

	if (!dso)
		return NULL;
	hash_table_each(&places->table, hash, n) {
		const struct unwound_address *known = &places->unwound.items[n];

		if (known->dso == dso && known->offset == added.offset)
			return NULL;
	}
	return array_push(&places->unwound, added) &&
	       hash_table_add(&places->table, hash, places->unwound.nr - 1) ? NULL :
	       &error_no_memory;
}

static struct error *ask_chain(struct asked_places *places, const struct session_record *r)
{
	struct error *err = callchain_read(&places->chain, r, CALLCHAIN_DEPTH);

	for (size_t i = 0; i < places->chain.nr && !err; i++) {
		const struct frame *frame = &places->chain.items[i];
		struct place place;

		ask(r, frame->mode, frame->ip, &place);
		if (frame->unwound)
			err = add_unwound_address(places, &place);
	}
	return err;
}

/* The ends of a branch may be in user space or in the kernel. */
static void ask_branches(const struct session_record *r)
{
	const struct perf_branch_entry *entries = r->sample.branch_stack;
	struct place place;

	for (uint64_t i = 0; i < r->sample.nr_branches; i++) {
		ask(r, PERF_RECORD_MISC_USER, entries[i].from, &place);
		ask(r, PERF_RECORD_MISC_KERNEL, entries[i].from, &place);
		ask(r, PERF_RECORD_MISC_USER, entries[i].to, &place);
		ask(r, PERF_RECORD_MISC_KERNEL, entries[i].to, &place);
	}
}

static struct error *asked_places_sample(struct session_consumer *consumer,
					 const struct session_record *r)
{
	struct asked_places *places = container_of(consumer, struct asked_places, consumer);
	const struct sample *sample = &r->sample;
	struct error *err;
	struct place place;

	if (!r->event)
		return NULL;
	if (r->event->attr.sample_type & PERF_SAMPLE_IP)
		ask(r, sample->cpumode, sample->ip, &place);
	if (r->event->attr.sample_type & PERF_SAMPLE_ADDR) {
		ask(r, sample->cpumode, sample->addr, &place);
		machine_find_data(r->machine, r->maps, sample->cpumode, sample->addr, &place);
	}
	ask_branches(r);
	err = ask_chain(places, r);
	/* Its text may contain symbols of the kernel. */
	if (!err && r->format && sample->raw) {
		strbuf_reset(&places->text);
		event_format_print(r->format, sample->raw, sample->raw_size, sample->cpu,
				   &places->text);
	}
	return err ? err : function_counts_add(places->counts, r);
}

struct error *asked_places_init(struct asked_places *ret)
{
	*ret = (struct asked_places){ .consumer.sample = asked_places_sample };
	return function_counts_create(&ret->counts);
}
