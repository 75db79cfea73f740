// SPDX-License-Identifier: GPL-2.0
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/error.h"
#include "lib/hash.h"
#include "profile/histogram/histogram_order.h"
#include "profile/histogram/histogram_state.h"
#include "record/body.h"
#include "session/session.h"
#include "terminal/options.h"

static struct error *parallelism_begin(struct parallelism *p, int32_t tid)
{
	/* The idle task does not count. */
	if (tid <= 0)
		return NULL;
	for (size_t i = 0; i < p->running.nr; i++)
		if (p->running.items[i] == tid)
			return NULL;
	return array_push(&p->running, tid) ? NULL : &error_no_memory;
}

static void parallelism_end(struct parallelism *p, int32_t tid)
{
	for (size_t i = 0; i < p->running.nr; i++)
		if (p->running.items[i] == tid) {
			p->running.items[i] = p->running.items[--p->running.nr];
			return;
		}
}

/* Process a record that is no sample. */
static struct error *parallelism_other(struct parallelism *p, const struct session_record *r)
{
	const struct perf_event_header *header = r->record.header;

	switch (header->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		if (!(header->misc & PERF_RECORD_MISC_SWITCH_OUT))
			return parallelism_begin(p, r->sample.tid);
		parallelism_end(p, r->sample.tid);
		return NULL;
	case PERF_RECORD_EXIT:
		/* A task's events end before its last switch. */
		parallelism_end(p, r->tid);
		return NULL;
	default:
		return NULL;
	}
}

/*
 * Set *@ret to the number of running tasks at a sample, at least 1: its own task runs, even if
 * records do not show it, unless it is the idle task.
 */
static struct error *parallelism_of(struct parallelism *p, const struct session_record *r,
				    unsigned int *ret)
{
	struct error *err = parallelism_begin(p, r->sample.tid);

	*ret = p->running.nr ? p->running.nr : 1;
	return err;
}

static void parallelism_deinit(struct parallelism *p)
{
	free(p->running.items);
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
	histograms->has_symbol = has_histogram_key(options, KEY_SYMBOL);
	histograms->has_dso = has_histogram_key(options, KEY_DSO);
	histograms->has_comm = has_histogram_key(options, KEY_COMM);
	histograms->has_tid = has_histogram_key(options, KEY_PID);
	histograms->has_cpu = has_histogram_key(options, KEY_CPU);
	histograms->has_parallelism = histogram_needs_switches(options);
	err = histogram_chains_init(histograms);
	if (!err)
		err = histogram_extras_create(&histograms->extras);
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
	for (size_t i = 0; i < histogram->all.nr; i++) {
		free(histogram->all.items[i]->kept.items);
		free(histogram->all.items[i]);
	}
	free(histogram->all.items);
	free(histogram->items);
	free(histogram->table);
	free(histogram);
}

static void free_filter(struct histograms *histograms)
{
	free((char *)histograms->filter.comm);
	free((char *)histograms->filter.function);
	free((char *)histograms->filter.symbol);
	histograms->filter = (struct histogram_filter){ .comm = NULL };
}

void histograms_destroy(struct histograms *histograms)
{
	if (!histograms)
		return;
	for (size_t i = 0; i < histograms->events.nr; i++)
		destroy_histogram(histograms->events.items[i]);
	free(histograms->events.items);
	free_filter(histograms);
	array_free_each(&histograms->comms, .text);
	hash_table_deinit(&histograms->comm_table);
	histogram_chains_deinit(histograms);
	histogram_layout_deinit(&histograms->layout);
	parallelism_deinit(&histograms->parallelism);
	histogram_extras_destroy(histograms->extras);
	free(histograms->entries.items);
	free(histograms);
}

static struct histogram_comm *find_comm(const struct histograms *histograms, uint64_t hash,
					const char *text)
{
	const struct hash_table *table = &histograms->comm_table;

	hash_table_each(table, hash, n) {
		struct histogram_comm *known = &histograms->comms.items[n];

		if (!strcmp(known->text, text))
			return known;
	}
	return NULL;
}

/* Return the only copy of a comm; NULL: out of memory. */
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

static bool find_histogram(struct histograms *histograms, const struct event *event,
			   struct histogram **ret)
{
	if (!array_at(&histograms->events, event->index, 0))
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

static bool is_wanted_entry(const struct histogram_options *options, const char *comm,
			    const struct call_place *place, const struct session_record *r)
{
	if (options->socket &&
	    (!r->machine || machine_socket(r->machine, r->sample.cpu) != *options->socket))
		return false;
	if (options->comms && !word_in_list(options->comms, comm))
		return false;
	if (options->symbols &&
	    (!place->symbol || !word_in_list(options->symbols, place->symbol->name)))
		return false;
	if (options->symbol_part &&
	    (!place->symbol || !strstr(place->symbol->name, options->symbol_part)))
		return false;
	return !options->dsos ||
	       (place->dso && (word_in_list(options->dsos, place->dso->short_name) ||
			       word_in_list(options->dsos, place->dso->name)));
}

/* The part of a sample's period that its task contributes to the total time. */
static uint64_t histogram_latency(const struct histogram_subject *subject)
{
	return subject->parallelism ? subject->r->sample.period * 1000 / subject->parallelism : 0;
}

/* Count a sample, or one of its branches, whose address is then in @r. */
static struct error *count_subject(struct histograms *histograms,
				   const struct histogram_subject *subject)
{
	const struct histogram_options *options = histograms->options;
	const struct session_record *r = subject->r;
	struct histogram_task task = {
		.tid = histograms->has_tid ? r->sample.tid : 0,
		.cpu = histograms->has_cpu ? r->sample.cpu : 0,
	};
	/* For branches perf uses the address in memory, as it does for callers. */
	struct entry_origin origin = { .tid = r->sample.tid, .is_caller = subject->branch };
	struct histogram_subject whole = *subject;
	struct histogram_entry *entry;
	const struct call_place *place;
	struct histogram *histogram;
	struct error *err;
	uint32_t sampled, number;
	const char *comm;
	uint8_t mode;

	err = call_tree_find_place(histograms->tree, r->machine, r->maps, r->sample.cpumode,
				   r->sample.ip, &sampled);
	number = sampled;
	if (!err)
		err = chain_nodes_look_up(histograms->chain_nodes, r, &number, &whole.parent);
	if (err)
		return err;
	place = call_tree_place(histograms->tree, number);
	/* A caller whose callees are ignored counts as if the sample was in it. */
	mode = number == sampled ? r->sample.cpumode : place->mode;
	origin.level = histogram_privilege(mode);
	if (options->hide_unresolved && !place->symbol)
		return NULL;
	comm = keep_comm(histograms, r->comm);
	if (!comm || !find_histogram(histograms, r->event, &histogram))
		return &error_no_memory;
	histogram->samples++;
	histogram->period += r->sample.period;
	histogram->latency += histogram_latency(subject);
	histogram->format = r->format;
	if (!is_wanted_entry(options, comm, place, r) || (options->exclude_other && !whole.parent))
		return NULL;
	histograms->number++;
	task.histogram = histogram;
	task.comm = histograms->has_comm ? comm : NULL;
	err = histogram_extras_read(histograms->extras, options, &whole, &task.extra);
	if (err)
		return err;
	entry = histogram_find_or_add(histogram, number, &task, &origin);
	if (!entry)
		return &error_no_memory;
	entry->period += r->sample.period;
	entry->latency += histogram_latency(subject);
	entry->children += r->sample.period;
	entry->samples++;
	if (mode == PERF_RECORD_MISC_KERNEL)
		entry->system += r->sample.period;
	else if (mode == PERF_RECORD_MISC_USER)
		entry->user += r->sample.period;
	entry->task = comm;
	if (options->kept_samples &&
	    !entry_samples_add(&entry->kept, options->kept_samples, entry->samples, r->event,
			       &r->sample))
		return &error_no_memory;
	if (!options->children && !options->graph.mode)
		return NULL;
	return histogram_count_chain(histograms, histogram, r, entry);
}

/* As in perf, each branch counts once, with any period of the sample. */
static struct error *count_branches(struct histograms *histograms, const struct session_record *r,
				    unsigned int parallelism)
{
	const struct perf_branch_entry *branches = r->sample.branch_stack;
	struct session_record end = *r;
	struct error *err = NULL;

	end.sample.period = 1;
	for (uint64_t i = 0; branches && i < r->sample.nr_branches && !err; i++) {
		const struct histogram_subject subject = {
			.r = &end, .branch = &branches[i], .parallelism = parallelism,
		};

		end.sample.ip = branches[i].to;
		end.sample.cpumode = branches[i].to >> 63 ? PERF_RECORD_MISC_KERNEL :
							    PERF_RECORD_MISC_USER;
		err = count_subject(histograms, &subject);
	}
	return err;
}

static struct error *count_histogram_sample(struct session_consumer *consumer,
					    const struct session_record *r)
{
	struct histograms *histograms = container_of(consumer, struct histograms, consumer);
	struct histogram_subject subject = { .r = r };
	struct session_record access;
	struct error *err = NULL;

	if (histograms->has_parallelism)
		err = parallelism_of(&histograms->parallelism, r, &subject.parallelism);
	if (err)
		return err;
	if (histograms->options->branches)
		return count_branches(histograms, r, subject.parallelism);
	if (!histograms->options->accesses)
		return count_subject(histograms, &subject);
	access = *r;
	access.sample.period = r->sample.weight ? r->sample.weight : 1;
	subject.r = &access;
	return count_subject(histograms, &subject);
}

/*
 * Samples of a task without a name are counted under ":TID".  As in perf, these get the next name
 * of that task; but a later task with the same tid is a different one.
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
	return histograms->has_parallelism ? parallelism_other(&histograms->parallelism, r) : NULL;
}

struct session_consumer *histograms_consumer(struct histograms *histograms)
{
	histograms->consumer = (struct session_consumer){
		.sample = count_histogram_sample, .other = count_histogram_other,
	};
	return &histograms->consumer;
}

static const char *find_late_name(const struct histograms *histograms, const char *text)
{
	const struct histogram_comm *comm;

	comm = text ? find_comm(histograms, hash_key_text(text), text) : NULL;
	return comm && comm->later ? comm->later : text;
}

static bool merge_entries(const struct histograms *histograms, struct histogram_entry *into,
			  struct histogram_entry *from)
{
	into->period += from->period;
	into->children += from->children;
	into->samples += from->samples;
	into->system += from->system;
	into->user += from->user;
	into->latency += from->latency;
	if (from->depth > into->depth)
		into->depth = from->depth;
	from->into = into;
	return entry_samples_merge(&into->kept, histograms->options->kept_samples, &from->kept);
}

/*
 * Entries that get a task's late name are merged into entries that have it already.  Chains may
 * still refer to the former ones.
 */
static struct error *give_late_names(struct histograms *histograms,
				     struct histogram *histogram)
{
	if (!histogram->all.nr)
		return NULL;
	histogram_forget_recent(histograms);
	free(histogram->table);
	histogram->table = calloc(histogram->mask + 1, sizeof(*histogram->table));
	if (!histogram->table)
		return &error_no_memory;
	for (size_t i = 0; i < histogram->all.nr; i++) {
		struct histogram_entry *entry = histogram->all.items[i], **slot;

		if (entry->into)
			continue;
		entry->comm = find_late_name(histograms, entry->comm);
		entry->task = find_late_name(histograms, entry->task);
		slot = histogram_entry_slot(histogram, entry);
		if (!*slot)
			*slot = entry;
		else if (!merge_entries(histograms, *slot, entry))
			return &error_no_memory;
	}
	return NULL;
}

static bool passes_filter(const struct histogram_filter *filter,
			  const struct histogram_entry *entry)
{
	if (filter->comm && (!entry->comm || strcmp(filter->comm, entry->comm)))
		return false;
	if (filter->tid && entry->tid != (filter->tid > 0 ? filter->tid : 0))
		return false;
	if (filter->dso && entry->dso != filter->dso)
		return false;
	if (filter->function &&
	    (!entry->symbol || strcmp(filter->function, entry->symbol->name)))
		return false;
	return !filter->symbol ||
	       (entry->symbol && strstr(entry->symbol->name, filter->symbol));
}

/* Collect the entries to show. */
static bool collect_shown(const struct histograms *histograms, struct histogram *histogram)
{
	histogram->nr = 0;
	histogram->shown_period = histogram->shown_samples = histogram->shown_latency = 0;
	for (size_t i = 0; i < histogram->all.nr; i++) {
		struct histogram_entry *entry = histogram->all.items[i];

		if (entry->into || !passes_filter(&histograms->filter, entry) ||
		    (histograms->decays && !entry->children && !entry->period))
			continue;
		if (!array_push(histogram, entry))
			return false;
		histogram->shown_period += entry->period;
		histogram->shown_latency += entry->latency;
		histogram->shown_samples += entry->samples;
	}
	return true;
}

struct error *histograms_sort(struct histograms *histograms)
{
	struct error *err = NULL;

	histogram_count_callers(histograms);
	for (size_t i = 0; i < histograms->events.nr && histograms->has_late_names && !err; i++)
		if (histograms->events.items[i])
			err = give_late_names(histograms, histograms->events.items[i]);
	if (err)
		return err;
	for (size_t i = 0; i < histograms->events.nr; i++) {
		struct histogram *histogram = histograms->events.items[i];

		if (!histogram)
			continue;
		if (!collect_shown(histograms, histogram))
			return &error_no_memory;
		if (histogram->nr)
			qsort_r(histogram->items, histogram->nr, sizeof(*histogram->items),
				histogram_compare_entries, (void *)histograms->options);
	}
	return NULL;
}

struct error *histograms_set_filter(struct histograms *histograms,
				    const struct histogram_filter *filter)
{
	struct histogram_filter copy = { .comm = NULL };

	if (filter) {
		copy = *filter;
		copy.comm = filter->comm ? strdup(filter->comm) : NULL;
		copy.function = filter->function ? strdup(filter->function) : NULL;
		copy.symbol = filter->symbol ? strdup(filter->symbol) : NULL;
	}
	free_filter(histograms);
	histograms->filter = copy;
	return filter && ((filter->comm && !copy.comm) || (filter->function && !copy.function) ||
			  (filter->symbol && !copy.symbol)) ? &error_no_memory : NULL;
}

struct error *histograms_clear(struct histograms *histograms)
{
	for (size_t i = 0; i < histograms->events.nr; i++)
		destroy_histogram(histograms->events.items[i]);
	histograms->events.nr = histograms->entries.nr = 0;
	histograms->lost = 0;
	histogram_chains_deinit(histograms);
	histogram_layout_deinit(&histograms->layout);
	return histogram_chains_init(histograms);
}

/*
 * Reduce the samples of one histogram.  Samples without an entry, which are not selected, decay as
 * well.
 */
static void decay_histogram(struct histogram *histogram)
{
	uint64_t period = 0, samples = 0, left_period = 0, left_samples = 0;

	for (size_t i = 0; i < histogram->all.nr; i++) {
		struct histogram_entry *entry = histogram->all.items[i];

		if (entry->into)
			continue;
		period += entry->period;
		samples += entry->samples;
		entry->period = histogram_decayed(entry->period);
		entry->samples = histogram_decayed(entry->samples);
		entry->system = histogram_decayed(entry->system);
		entry->user = histogram_decayed(entry->user);
		entry->latency = histogram_decayed(entry->latency);
		entry->children = histogram_decayed(entry->children);
		left_period += entry->period;
		left_samples += entry->samples;
	}
	histogram->period = left_period + histogram_decayed(histogram->period - period);
	histogram->latency = histogram_decayed(histogram->latency);
	histogram->samples = left_samples + histogram_decayed(histogram->samples - samples);
}

struct error *histograms_decay(struct histograms *histograms)
{
	histograms->decays = true;
	histogram_count_callers(histograms);
	for (size_t i = 0; i < histograms->events.nr; i++)
		if (histograms->events.items[i])
			decay_histogram(histograms->events.items[i]);
	return histogram_decay_chains(histograms);
}

const struct histogram *histograms_get(const struct histograms *histograms, size_t index)
{
	return index < histograms->events.nr ? histograms->events.items[index] : NULL;
}

uint64_t histogram_whole(const struct histogram *histogram)
{
	return histogram->owner->options->relative ? histogram->shown_period : histogram->period;
}

uint64_t histogram_whole_latency(const struct histogram *histogram)
{
	return histogram->owner->options->relative ? histogram->shown_latency : histogram->latency;
}

const struct chain_ends *histograms_chain_ends(const struct histograms *histograms)
{
	return &histograms->ends;
}

uint64_t histograms_lost(const struct histograms *histograms)
{
	return histograms->lost;
}
