// SPDX-License-Identifier: GPL-2.0
#include "analysis/histogram_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/options.h"
#include "record/body.h"

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
	struct error *err;

	if (!histograms)
		return &error_no_memory;
	histograms->options = options;
	err = call_tree_create(&histograms->tree);
	if (err) {
		histograms_destroy(histograms);
		return err;
	}
	*ret = histograms;
	return NULL;
}

static void destroy_histogram(struct histogram *histogram)
{
	if (!histogram)
		return;
	for (size_t i = 0; i < histogram->nr; i++) {
		free(histogram->items[i]->parts.items);
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
	histogram_chains_deinit(histograms);
	free(histograms);
}

static struct histogram_comm *find_comm(const struct histograms *histograms, uint64_t hash,
					const char *text)
{
	const struct hash_table *table = &histograms->comm_table;
	size_t at;

	for (bool more = hash_table_first(table, hash, &at); more;
	     more = hash_table_next(table, &at)) {
		struct histogram_comm *known;

		known = &histograms->comms.items[hash_table_value(table, at)];
		if (!strcmp(known->text, text))
			return known;
	}
	return NULL;
}

/* Give the only copy of a comm; NULL: out of memory. */
static const char *keep_comm(struct histograms *histograms, const char *comm)
{
	const char *known = histograms->last_comm;
	struct histogram_comm *found, added = { .settled = false };
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

static const char *histogram_dso_text(const struct dso *dso)
{
	return dso ? dso->short_name : "[unknown]";
}

static bool is_same_entry(const struct histogram_entry *a, const struct histogram_entry *b)
{
	if (a->comm != b->comm || a->tid != b->tid || a->cpu != b->cpu ||
	    !a->dso != !b->dso || !a->symbol != !b->symbol || a->address != b->address)
		return false;
	if (a->dso != b->dso && strcmp(histogram_dso_text(a->dso), histogram_dso_text(b->dso)))
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
	return hash_key_join(h, hash_text(histogram_dso_text(entry->dso)));
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
struct histogram_entry *histogram_find_or_add(struct histogram *histogram,
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
		histogram->owner = histograms;
		histogram->event = event;
		histograms->events.items[event->index] = histogram;
	}
	*ret = histograms->events.items[event->index];
	return true;
}

struct histogram_entry histogram_make_key(const struct histograms *histograms,
					  const struct call_place *place, const char *comm,
					  int32_t tid, int32_t cpu)
{
	const struct histogram_options *options = histograms->options;
	bool has_symbol = has_histogram_key(options, KEY_SYMBOL);
	bool has_dso = has_histogram_key(options, KEY_DSO);
	struct histogram_entry key = {
		.comm = has_histogram_key(options, KEY_COMM) ? comm : NULL,
		.tid = has_histogram_key(options, KEY_PID) ? tid : 0,
		.cpu = has_histogram_key(options, KEY_CPU) ? cpu : 0,
		.order = histograms->number,
	};

	/*
	 * Functions of the same name in two binaries are different, but addresses without a
	 * name are not.
	 */
	if (has_dso || (has_symbol && place->symbol))
		key.dso = place->dso;
	if (has_symbol) {
		key.symbol = place->symbol;
		/* If it lies in no binary, take the address in memory. */
		if (!place->symbol)
			key.address = place->dso ? place->address : place->ip;
	}
	return key;
}

char histogram_privilege(uint8_t mode)
{
	return mode == PERF_RECORD_MISC_KERNEL ? 'k' : mode == PERF_RECORD_MISC_USER ? '.' : 'H';
}

static bool is_wanted_entry(const struct histogram_options *options, const char *comm,
			    const struct call_place *place)
{
	if (options->comms && !word_in_list(options->comms, comm))
		return false;
	if (options->symbols &&
	    (!place->symbol || !word_in_list(options->symbols, place->symbol->name)))
		return false;
	return !options->dsos ||
	       (place->dso && (word_in_list(options->dsos, place->dso->short_name) ||
			       word_in_list(options->dsos, place->dso->name)));
}

bool histogram_callers_first(const struct histogram_options *options)
{
	return options->graph.order == CALL_GRAPH_CALLER ||
	       (!options->graph.order && options->children);
}

static struct error *count_histogram_sample(struct session_consumer *consumer,
					    const struct session_record *r)
{
	struct histograms *histograms = container_of(consumer, struct histograms, consumer);
	struct histogram_entry key, *entry;
	const struct call_place *place;
	struct histogram *histogram;
	struct error *err;
	const char *comm;
	uint32_t number;

	err = call_tree_find_place(histograms->tree, r->machine, r->maps, r->sample.cpumode,
				   r->sample.ip, &number);
	if (err)
		return err;
	place = call_tree_place(histograms->tree, number);
	comm = keep_comm(histograms, r->comm);
	if (!comm || !find_histogram(histograms, r->event, &histogram))
		return &error_no_memory;
	histogram->samples++;
	histogram->period += r->sample.period;
	if (!is_wanted_entry(histograms->options, comm, place))
		return NULL;
	histograms->number++;
	key = histogram_make_key(histograms, place, comm, r->sample.tid, r->sample.cpu);
	key.level = histogram_privilege(r->sample.cpumode);
	key.first_tid = r->sample.tid;
	entry = histogram_find_or_add(histogram, &key);
	if (!entry)
		return &error_no_memory;
	entry->period += r->sample.period;
	entry->children += r->sample.period;
	entry->samples++;
	entry->task = comm;
	entry->task_order = histograms->number;
	if (!histograms->options->children && !histograms->options->graph.mode)
		return NULL;
	return histogram_count_chain(histograms, histogram, r, comm, entry);
}

/*
 * Samples of a task that had no name yet are counted under ":TID".  As in perf, these get the
 * next name of that task; but a later task with the same tid is a different one.
 */
static struct error *take_late_name(struct histograms *histograms, const struct session_record *r)
{
	struct histogram_comm *comm;
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
	result = array_descending(a->depth, b->depth);
	return histogram_callers_first(options) ? result : -result;
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
			result = !a->dso - !b->dso;
			if (a->dso && b->dso)
				result = strcmp(histogram_dso_text(a->dso),
						histogram_dso_text(b->dso));
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
	const struct histogram_comm *comm;

	comm = text ? find_comm(histograms, hash_key_text(text), text) : NULL;
	return comm && comm->later ? comm->later : text;
}

static bool merge_entries(struct histogram_entry *into, struct histogram_entry *from)
{
	into->period += from->period;
	into->children += from->children;
	into->samples += from->samples;
	if (from->depth > into->depth)
		into->depth = from->depth;
	for (size_t i = 0; i < from->parts.nr; i++)
		if (!array_push(&into->parts, from->parts.items[i]))
			return false;
	return true;
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
			free(entry->parts.items);
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
	struct error *err = histogram_count_callers(histograms);

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
