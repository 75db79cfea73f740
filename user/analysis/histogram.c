// SPDX-License-Identifier: GPL-2.0
#include "analysis/histogram.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "lib/options.h"
#include "record/body.h"
#include "session/machine.h"

/* The most frames of a sample: those that the kernel stored, and as many unwound ones. */
#define MAX_FRAMES	(2 * CALLCHAIN_DEPTH)

struct comm {
	char *text;
	const char *later;	/* for ":TID": the name that the task got; NULL: none */
	bool settled;		/* the tid belongs to another task by now */
};

struct histograms {
	struct session_consumer consumer;
	const struct histogram_options *options;
	struct {
		struct histogram **items;	/* by event; NULL: no samples */
		size_t nr, alloc;
	} events;
	struct {
		struct comm *items;
		size_t nr, alloc;
	} comms;				/* each text once */
	bool has_late_names;
	struct hash_table comm_table;		/* positions in comms */
	const char *last_comm;			/* of comms; NULL: none yet */
	struct callchain chain;
	struct place places[MAX_FRAMES];	/* of the chain's frames */
	size_t nr_frames;
	struct chain_ends ends;
	uint64_t lost;
	uint64_t number;			/* of the sample */
};

/* A second name that perf has for a key comes after all shown names. */
#define KEY_NAMES_SHOWN 5

static const struct {
	const char *name;
	enum histogram_key key;
} key_names[] = {
	{ "comm", KEY_COMM }, { "dso", KEY_DSO }, { "sym", KEY_SYMBOL }, { "pid", KEY_PID },
	{ "cpu", KEY_CPU }, { "symbol", KEY_SYMBOL },
};

void histogram_keys_add_names(struct strbuf *out)
{
	for (size_t i = 0; i < KEY_NAMES_SHOWN; i++)
		strbuf_addf(out, "%s%s", i ? ", " : "", key_names[i].name);
}

struct error *histogram_keys_parse(struct histogram_options *options, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	char *saved = NULL;
	size_t nr = 0;

	if (!copy)
		return &error_no_memory;
	memset(options->keys, 0, sizeof(options->keys));
	for (char *word = strtok_r(copy, ",", &saved); word; word = strtok_r(NULL, ",", &saved)) {
		size_t i = 0;

		while (i < ARRAY_SIZE(key_names) && strcmp(key_names[i].name, word))
			i++;
		if (i == ARRAY_SIZE(key_names))
			return error_hint(error_new(EINVAL, "report cannot sort by '%s'", word),
					  "The keys are comm, dso, sym, pid and cpu");
		if (nr == MAX_KEYS - 1)
			return error_new(EINVAL, "report -s takes at most %d keys", MAX_KEYS - 1);
		options->keys[nr++] = key_names[i].key;
	}
	return nr ? NULL : error_new(EINVAL, "report -s needs keys: comm, dso, sym, pid, cpu");
}

static bool has_histogram_key(const struct histogram_options *options, enum histogram_key key)
{
	return memchr(options->keys, key, sizeof(options->keys));
}

struct error *histograms_create(const struct histogram_options *options, struct histograms **ret)
{
	struct histograms *histograms = calloc(1, sizeof(*histograms));

	if (!histograms)
		return &error_no_memory;
	histograms->options = options;
	*ret = histograms;
	return NULL;
}

static void destroy_histogram(struct histogram *histogram)
{
	if (!histogram)
		return;
	for (size_t i = 0; i < histogram->nr; i++) {
		call_graph_destroy(histogram->items[i]->graph);
		free(histogram->items[i]);
	}
	free(histogram->items);
	free(histogram->table);
	free(histogram);
}

void histograms_destroy(struct histograms *histograms)
{
	if (!histograms)
		return;
	for (size_t i = 0; i < histograms->events.nr; i++)
		destroy_histogram(histograms->events.items[i]);
	free(histograms->events.items);
	for (size_t i = 0; i < histograms->comms.nr; i++)
		free(histograms->comms.items[i].text);
	free(histograms->comms.items);
	hash_table_deinit(&histograms->comm_table);
	callchain_deinit(&histograms->chain);
	free(histograms);
}

static struct comm *find_comm(const struct histograms *histograms, uint64_t hash, const char *text)
{
	const struct hash_table *table = &histograms->comm_table;
	size_t at;

	for (bool more = hash_table_first(table, hash, &at); more;
	     more = hash_table_next(table, &at)) {
		struct comm *known = &histograms->comms.items[hash_table_value(table, at)];

		if (!strcmp(known->text, text))
			return known;
	}
	return NULL;
}

/* Give the only copy of a comm; NULL: out of memory. */
static const char *keep_comm(struct histograms *histograms, const char *comm)
{
	const char *known = histograms->last_comm;
	struct comm *found, added = { .settled = false };
	uint64_t hash;

	/* Comms repeat: usually this is the previous one. */
	if (known && !strcmp(known, comm))
		return known;
	hash = hash_key_text(comm);
	found = find_comm(histograms, hash, comm);
	if (found) {
		known = found->text;
	} else {
		added.text = strdup(comm);
		if (!added.text || !hash_table_add(&histograms->comm_table, hash,
						   histograms->comms.nr) ||
		    !array_push(&histograms->comms, added)) {
			free(added.text);
			return NULL;
		}
		known = added.text;
	}
	histograms->last_comm = known;
	return known;
}

static const char *dso_text(const struct dso *dso)
{
	return dso ? dso->short_name : "[unknown]";
}

static bool is_same_entry(const struct histogram_entry *a, const struct histogram_entry *b)
{
	if (a->comm != b->comm || a->tid != b->tid || a->cpu != b->cpu ||
	    !a->dso != !b->dso || !a->symbol != !b->symbol || a->address != b->address)
		return false;
	if (a->dso != b->dso && strcmp(dso_text(a->dso), dso_text(b->dso)))
		return false;
	return a->symbol == b->symbol ||
	       (a->symbol->start == b->symbol->start && a->symbol->end == b->symbol->end);
}

static uint64_t hash_entry(const struct histogram_entry *entry)
{
	uint64_t h = hash_key_number((uintptr_t)entry->comm);

	h = hash_key_join(h, (uint64_t)entry->tid << 32 ^ (uint32_t)entry->cpu);
	h = hash_key_join(h, entry->address);
	if (entry->symbol)
		h = hash_key_join(h, entry->symbol->start);
	return hash_key_join(h, hash_text(dso_text(entry->dso)));
}

static bool grow_histogram(struct histogram *histogram)
{
	size_t size = histogram->table ? (histogram->mask + 1) * 2 : 1024;
	struct histogram_entry **table = calloc(size, sizeof(*table));

	if (!table)
		return false;
	for (size_t i = 0; i < histogram->nr; i++) {
		size_t at = hash_entry(histogram->items[i]) & (size - 1);

		while (table[at])
			at = (at + 1) & (size - 1);
		table[at] = histogram->items[i];
	}
	free(histogram->table);
	histogram->table = table;
	histogram->mask = size - 1;
	return true;
}

/* Find the slot where the entry like @key is, or would be; NULL: out of memory. */
static struct histogram_entry **find_entry_slot(struct histogram *histogram,
						const struct histogram_entry *key)
{
	size_t at;

	if (histogram->nr * 2 >= histogram->mask && !grow_histogram(histogram))
		return NULL;
	at = hash_entry(key) & histogram->mask;
	while (histogram->table[at] && !is_same_entry(histogram->table[at], key))
		at = (at + 1) & histogram->mask;
	return &histogram->table[at];
}

/* Find or add the entry like @key; NULL: out of memory. */
static struct histogram_entry *find_or_add_entry(struct histogram *histogram,
						 const struct histogram_entry *key)
{
	struct histogram_entry **slot = find_entry_slot(histogram, key), *entry;

	if (!slot || *slot)
		return slot ? *slot : NULL;
	entry = malloc(sizeof(*entry));
	if (!entry || !array_push(histogram, entry)) {
		free(entry);
		return NULL;
	}
	*entry = *key;
	*slot = entry;
	return entry;
}

static bool find_histogram(struct histograms *histograms, const struct event *event,
			   struct histogram **ret)
{
	while (histograms->events.nr <= event->index)
		if (!array_push(&histograms->events, NULL))
			return false;
	if (!histograms->events.items[event->index]) {
		struct histogram *histogram = calloc(1, sizeof(*histogram));

		if (!histogram)
			return false;
		histogram->event = event;
		histograms->events.items[event->index] = histogram;
	}
	*ret = histograms->events.items[event->index];
	return true;
}

/* Make the part of a place by which the keys distinguish entries. */
static struct histogram_entry make_entry_key(const struct histograms *histograms,
					     const struct session_record *r, const char *comm,
					     const struct place *place, char level)
{
	const struct histogram_options *options = histograms->options;
	bool has_symbol = has_histogram_key(options, KEY_SYMBOL);
	bool has_dso = has_histogram_key(options, KEY_DSO);
	struct histogram_entry key = {
		.comm = has_histogram_key(options, KEY_COMM) ? comm : NULL,
		.tid = has_histogram_key(options, KEY_PID) ? r->sample.tid : 0,
		.cpu = has_histogram_key(options, KEY_CPU) ? r->sample.cpu : 0,
		.level = level,
		.first_tid = r->sample.tid,
		.order = histograms->number,
	};

	/*
	 * Functions of the same name in two binaries are different, but addresses without a
	 * name are not.
	 */
	if (place->map && (has_dso || (has_symbol && place->symbol)))
		key.dso = place->map->dso;
	if (has_symbol) {
		key.symbol = place->symbol;
		/* If it lies in no binary, take the address in memory. */
		if (!place->symbol)
			key.address = place->map ? place->address : place->ip;
	}
	return key;
}

static char privilege_of(uint8_t mode)
{
	return mode == PERF_RECORD_MISC_KERNEL ? 'k' : mode == PERF_RECORD_MISC_USER ? '.' : 'H';
}

static bool is_wanted_entry(const struct histogram_options *options, const char *comm,
			    const struct place *place)
{
	if (options->comms && !word_in_list(options->comms, comm))
		return false;
	if (options->symbols &&
	    (!place->symbol || !word_in_list(options->symbols, place->symbol->name)))
		return false;
	return !options->dsos ||
	       (place->map && (word_in_list(options->dsos, place->map->dso->short_name) ||
			       word_in_list(options->dsos, place->map->dso->name)));
}

/*
 * Find the places of the sample's call chain, innermost first, and store them in
 * histograms->chain and ->places.
 */
static struct error *find_places(struct histograms *histograms, const struct session_record *r)
{
	struct error *err;

	histograms->nr_frames = 0;
	if (!(r->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return NULL;
	err = callchain_read(&histograms->chain, r, CALLCHAIN_DEPTH);
	for (size_t i = 0; !err && i < histograms->chain.nr && i < MAX_FRAMES; i++) {
		const struct frame *frame = &histograms->chain.items[i];
		struct place *place = &histograms->places[histograms->nr_frames++];

		*place = (struct place){ .ip = frame->ip };
		if (r->machine)
			machine_find(r->machine, r->maps, frame->mode, frame->ip, place);
	}
	return err;
}

static bool callers_first(const struct histogram_options *options)
{
	return options->graph.order == CALL_GRAPH_CALLER ||
	       (!options->graph.order && options->children);
}

/*
 * Add the chain from frame @from on, towards its callers or towards what it called.  The
 * kernel and its modules count as one binary: their addresses differ anyway.
 */
static bool add_chain(struct histograms *histograms, struct histogram_entry *entry, size_t from,
		      uint64_t period)
{
	static const char kernel;
	bool outward = !callers_first(histograms->options);
	struct call_frame frames[MAX_FRAMES];
	size_t nr = 0;

	if (!histograms->options->graph.mode || !histograms->nr_frames)
		return true;
	for (size_t i = from; i < histograms->nr_frames; outward ? i++ : i--) {
		const struct place *place = &histograms->places[i];

		frames[nr++] = (struct call_frame){
			.dso = !place->map ? NULL : place->map->dso->shared ?
				(const void *)&kernel : place->map->dso,
			.symbol = place->symbol,
			.ip = place->ip,
		};
	}
	return call_graph_add(&entry->graph, frames, nr, period);
}

/* Count each entry of the chain once, however often it occurs in it. */
static struct error *add_callers(struct histograms *histograms, struct histogram *histogram,
				 const struct session_record *r, const char *comm,
				 const struct histogram_entry *self)
{
	const struct histogram_entry *seen[MAX_FRAMES + 1] = { self };
	bool inward = callers_first(histograms->options);
	char level = privilege_of(r->sample.cpumode);
	size_t nr = 1;

	for (size_t n = 0; n < histograms->nr_frames; n++) {
		size_t i = inward ? histograms->nr_frames - 1 - n : n;
		const struct frame *frame = &histograms->chain.items[i];
		const struct place *place = &histograms->places[i];
		struct histogram_entry key, *entry;
		size_t k = 0;

		/*
		 * As in perf, what lies in no binary counts as being where the previous frame
		 * was.
		 */
		if (place->map)
			level = privilege_of(frame->mode);
		key = make_entry_key(histograms, r, comm, place, level);
		/* For callers perf takes the address in memory. */
		if (!place->symbol && key.address)
			key.address = place->ip;
		entry = find_or_add_entry(histogram, &key);
		if (!entry)
			return &error_no_memory;
		while (k < nr && seen[k] != entry)
			k++;
		if (k < nr)
			continue;
		seen[nr++] = entry;
		entry->task = comm;
		entry->children += r->sample.period;
		if (!add_chain(histograms, entry, i, r->sample.period))
			return &error_no_memory;
	}
	return NULL;
}

static struct error *count_histogram_sample(struct session_consumer *consumer,
					    const struct session_record *r)
{
	struct histograms *histograms = container_of(consumer, struct histograms, consumer);
	struct place place = { .ip = r->sample.ip };
	struct histogram_entry key, *entry;
	struct histogram *histogram;
	struct error *err;
	const char *comm;

	if (r->machine)
		machine_find(r->machine, r->maps, r->sample.cpumode, r->sample.ip, &place);
	comm = keep_comm(histograms, r->comm);
	if (!comm || !find_histogram(histograms, r->event, &histogram))
		return &error_no_memory;
	histogram->samples++;
	histogram->period += r->sample.period;
	if (!is_wanted_entry(histograms->options, comm, &place))
		return NULL;
	histograms->number++;
	key = make_entry_key(histograms, r, comm, &place, privilege_of(r->sample.cpumode));
	entry = find_or_add_entry(histogram, &key);
	if (!entry)
		return &error_no_memory;
	entry->period += r->sample.period;
	entry->children += r->sample.period;
	entry->samples++;
	entry->task = comm;
	if (!histograms->options->children && !histograms->options->graph.mode)
		return NULL;
	err = find_places(histograms, r);
	if (err)
		return err;
	chain_ends_add(&histograms->ends, r, histograms->chain.items, histograms->places,
		       histograms->nr_frames);
	if (!add_chain(histograms, entry, callers_first(histograms->options) ?
		       histograms->nr_frames - 1 : 0, r->sample.period))
		return &error_no_memory;
	return histograms->options->children ?
		       add_callers(histograms, histogram, r, comm, entry) : NULL;
}

/*
 * Samples of a task that had no name yet are counted under ":TID".  As in perf, these get the
 * next name of that task; but a later task with the same tid is a different one.
 */
static struct error *take_late_name(struct histograms *histograms, const struct session_record *r)
{
	struct comm *comm;
	char text[16];
	const char *name;
	size_t at;

	snprintf(text, sizeof(text), ":%d", r->tid);
	comm = find_comm(histograms, hash_key_text(text), text);
	if (!comm || comm->settled)
		return NULL;
	comm->settled = true;
	if (r->record.header->type == PERF_RECORD_FORK)
		return NULL;
	at = comm - histograms->comms.items;
	name = keep_comm(histograms, r->comm);
	if (!name)
		return &error_no_memory;
	histograms->comms.items[at].later = name;
	histograms->has_late_names = true;
	return NULL;
}

static struct error *count_histogram_other(struct session_consumer *consumer,
					   const struct session_record *r)
{
	struct histograms *histograms = container_of(consumer, struct histograms, consumer);
	const struct perf_event_header *header = r->record.header;
	const struct body_lost_samples *samples = body_of(header, struct body_lost_samples);

	if (header->type == PERF_RECORD_LOST_SAMPLES && samples)
		histograms->lost += samples->lost;
	if (header->type == PERF_RECORD_COMM || header->type == PERF_RECORD_FORK)
		return take_late_name(histograms, r);
	return NULL;
}

struct session_consumer *histograms_consumer(struct histograms *histograms)
{
	histograms->consumer = (struct session_consumer){
		.sample = count_histogram_sample, .other = count_histogram_other,
	};
	return &histograms->consumer;
}

/* Among equal entries of one thread, callers come above what they called. */
static int order_depths(const struct histogram_options *options, const struct histogram_entry *a,
			const struct histogram_entry *b)
{
	int result;

	if (!options->graph.mode || a->first_tid != b->first_tid)
		return 0;
	result = array_descending(call_graph_depth(a->graph), call_graph_depth(b->graph));
	return callers_first(options) ? result : -result;
}

/* The largest come first, equal ones are sorted by their keys. */
static int compare_entries(const void *x, const void *y, void *context)
{
	const struct histogram_options *options = context;
	const struct histogram_entry *a = *(struct histogram_entry *const *)x;
	const struct histogram_entry *b = *(struct histogram_entry *const *)y;
	int result = options->children ? array_descending(a->children, b->children) : 0;

	if (!result && options->children)
		result = order_depths(options, a, b);
	if (!result)
		result = array_descending(a->period, b->period);
	for (const uint8_t *key = options->keys; *key && !result; key++) {
		switch (*key) {
		case KEY_COMM:
			result = strcmp(a->comm, b->comm);
			break;
		case KEY_DSO:
			result = a->dso && b->dso ? strcmp(dso_text(a->dso), dso_text(b->dso)) :
						    !a->dso - !b->dso;
			break;
		case KEY_SYMBOL:
			result = a->symbol && b->symbol ?
					 strcmp(a->symbol->name, b->symbol->name) :
					 !a->symbol - !b->symbol;
			break;
		case KEY_PID:
			result = a->tid < b->tid ? -1 : a->tid > b->tid;
			break;
		case KEY_CPU:
			result = a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
			break;
		}
	}
	if (!result)
		result = array_descending(b->address, a->address);
	return result ? result : array_descending(b->order, a->order);
}

static const char *find_late_name(const struct histograms *histograms, const char *text)
{
	const struct comm *comm = text ? find_comm(histograms, hash_key_text(text), text) : NULL;

	return comm && comm->later ? comm->later : text;
}

static bool merge_entries(struct histogram_entry *into, struct histogram_entry *from)
{
	into->period += from->period;
	into->children += from->children;
	into->samples += from->samples;
	if (!into->graph)
		into->graph = take_ptr(from->graph);
	return !from->graph || call_graph_merge(into->graph, from->graph);
}

static struct error *give_late_names(const struct histograms *histograms,
				     struct histogram *histogram)
{
	size_t nr = histogram->nr;
	bool ok = true;

	free(take_ptr(histogram->table));
	histogram->mask = histogram->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		struct histogram_entry *entry = histogram->items[i], **slot = NULL;

		entry->comm = find_late_name(histograms, entry->comm);
		entry->task = find_late_name(histograms, entry->task);
		slot = ok ? find_entry_slot(histogram, entry) : NULL;
		if (slot && *slot) {
			ok = merge_entries(*slot, entry);
			call_graph_destroy(entry->graph);
			free(entry);
			continue;
		}
		if (slot)
			*slot = entry;
		ok = slot;
		histogram->items[histogram->nr++] = entry;
	}
	return ok ? NULL : &error_no_memory;
}

struct error *histograms_sort(struct histograms *histograms)
{
	struct error *err = NULL;

	for (size_t i = 0; i < histograms->events.nr && histograms->has_late_names && !err; i++)
		if (histograms->events.items[i])
			err = give_late_names(histograms, histograms->events.items[i]);
	if (err)
		return err;
	for (size_t i = 0; i < histograms->events.nr; i++) {
		struct histogram *histogram = histograms->events.items[i];

		if (histogram)
			qsort_r(histogram->items, histogram->nr, sizeof(*histogram->items),
				compare_entries, (void *)histograms->options);
	}
	return NULL;
}

const struct histogram *histograms_get(const struct histograms *histograms, size_t index)
{
	return index < histograms->events.nr ? histograms->events.items[index] : NULL;
}

const struct chain_ends *histograms_chain_ends(const struct histograms *histograms)
{
	return &histograms->ends;
}

uint64_t histograms_lost(const struct histograms *histograms)
{
	return histograms->lost;
}
