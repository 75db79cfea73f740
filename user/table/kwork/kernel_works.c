// SPDX-License-Identifier: GPL-2.0
#include "table/kwork/kernel_works.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "states/interrupt_spans.h"
#include "states/known_events.h"

#define WORK_KIND(class, step)	(1 + (class) * WORK_STEPS + (step))

enum { WORK_FIELD_ID, WORK_FIELD_NAME };

static const struct known_row work_rows[] = {
	{ "irq", "irq_handler_entry", WORK_KIND(WORK_IRQ, WORK_ENTRY), { "irq", "?name" } },
	{ "irq", "irq_handler_exit", WORK_KIND(WORK_IRQ, WORK_EXIT), { "irq" } },
	{ "irq", "softirq_raise", WORK_KIND(WORK_SOFTIRQ, WORK_RAISE), { "vec" } },
	{ "irq", "softirq_entry", WORK_KIND(WORK_SOFTIRQ, WORK_ENTRY), { "vec" } },
	{ "irq", "softirq_exit", WORK_KIND(WORK_SOFTIRQ, WORK_EXIT), { "vec" } },
	{ "workqueue", "workqueue_activate_work", WORK_KIND(WORK_QUEUED, WORK_RAISE),
	  { "work", "?function" } },
	{ "workqueue", "workqueue_execute_start", WORK_KIND(WORK_QUEUED, WORK_ENTRY),
	  { "work", "?function" } },
	{ "workqueue", "workqueue_execute_end", WORK_KIND(WORK_QUEUED, WORK_EXIT),
	  { "work", "?function" } },
	{ 0 },
};

struct work_events {
	struct known_events known;
	struct hash_table index;
	bool wanted[WORK_CLASSES];
};

static bool work_class_is_recorded(enum work_class class, const struct event_list *events)
{
	for (const struct known_row *row = work_rows; row->name; row++)
		if ((enum work_class)((row->kind - 1) / WORK_STEPS) == class &&
		    event_is_recorded(events, row->system, row->name))
			return true;
	return false;
}

struct error *kernel_works_check(const struct kernel_works_options *options, const char *named,
				 const struct event_list *events)
{
	for (size_t i = 0; i < options->nr_classes; i++)
		if (work_class_is_recorded(options->classes[i], events))
			return NULL;
	return error_hint(error_new(ENODATA, "The recording has no events of %s",
				    named ? named : "irq, softirq or workqueue"),
			  "'ktrace kwork record' records the events for 'ktrace kwork'");
}

/* Returns false if memory is out; an unknown name is NULL. */
static bool work_name(const struct session_record *r, const struct known_event *e,
		      struct kernel_work *work)
{
	const char *name = NULL;
	size_t len = 0;
	uint64_t start;

	if (work->class == WORK_IRQ)
		name = known_event_text(e, WORK_FIELD_NAME, r, &len);
	else if (work->class == WORK_SOFTIRQ)
		name = softirq_name(work->id);
	else if (e->values[WORK_FIELD_NAME] && r->machine)
		name = machine_kernel_symbol(r->machine, e->values[WORK_FIELD_NAME], &start);
	if (work->class != WORK_IRQ)
		len = name ? strlen(name) : 0;
	if (!len)
		return true;
	work->name = strndup(name, len);
	return work->name;
}

static struct error *work_find(struct kernel_works *works, const struct session_record *r,
			       const struct known_event *e, enum work_class class,
			       struct kernel_work **ret)
{
	struct kernel_work added = {
		.class = class, .cpu = r->sample.cpu, .id = e->values[WORK_FIELD_ID],
	};
	uint64_t hash = hash_key_join(hash_key_join(hash_key_number(class), added.cpu), added.id);

	hash_table_each(&works->events->index, hash, n) {
		struct kernel_work *work = &works->works.items[n];

		if (work->class != class || work->cpu != added.cpu || work->id != added.id)
			continue;
		*ret = work;
		return work->name || work_name(r, e, work) ? NULL : &error_no_memory;
	}
	if (!work_name(r, e, &added) || !array_push(&works->works, added)) {
		free(added.name);
		return &error_no_memory;
	}
	*ret = &works->works.items[works->works.nr - 1];
	return hash_table_add(&works->events->index, hash, works->works.nr - 1) ?
		NULL : &error_no_memory;
}

static void work_measured(struct kernel_work *work, uint64_t since, uint64_t until)
{
	uint64_t length = until - since;

	if (until < since)
		return;
	if (length > work->max || !work->max) {
		work->max = length;
		work->max_since = since;
		work->max_until = until;
	}
	work->total += length;
	work->count++;
}

static struct error *work_raise(struct kernel_work *work, uint64_t time)
{
	return array_push(&work->raised, ((struct work_run){ .raised = time })) ?
		NULL : &error_no_memory;
}

static struct error *work_enter(struct kernel_works *works, struct kernel_work *work,
				const struct session_record *r)
{
	const struct kernel_works_options *options = works->options;
	struct work_listener *listener = options->listener;
	struct work_run run = { .since = r->sample.time };
	struct error *err = NULL;

	if (options->measure != WORK_RUNTIME && work->raised.nr) {
		run.was_raised = true;
		run.raised = work->raised.items[--work->raised.nr].raised;
		if (options->measure == WORK_LATENCY) {
			work_measured(work, run.raised, run.since);
			return NULL;
		}
	}
	if (listener && listener->entry)
		err = listener->entry(listener, r, &run.chain);
	if (!err && !array_push(&work->entered, run))
		err = &error_no_memory;
	if (err)
		free(run.chain);
	return err;
}

static struct error *work_leave(struct kernel_works *works, struct kernel_work *work,
				uint64_t time)
{
	struct work_listener *listener = works->options->listener;
	struct error *err = NULL;
	struct work_run run;

	if (!work->entered.nr) {
		works->skipped[WORK_EXIT]++;
		return NULL;
	}
	run = work->entered.items[--work->entered.nr];
	run.until = time;
	work_measured(work, run.since, time);
	if (listener && listener->run)
		err = listener->run(listener, work, &run);
	free(run.chain);
	return err;
}

/* Whether the step is part of the measured time. */
static bool work_step_counts(enum work_measure measure, enum work_step step)
{
	return measure == WORK_BOTH || step == WORK_ENTRY ||
	       step == (measure == WORK_RUNTIME ? WORK_EXIT : WORK_RAISE);
}

static void work_note_time(struct kernel_works *works, uint64_t time)
{
	if (!works->first || time < works->first)
		works->first = time;
	if (time > works->last)
		works->last = time;
}

static struct error *work_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct kernel_works *works = container_of(consumer, struct kernel_works, consumer);
	const struct kernel_works_options *options = works->options;
	struct kernel_work *work = NULL;
	struct known_event e;
	struct error *err = known_event_read(&works->events->known, r, &e);
	enum work_class class = e.kind ? (e.kind - 1) / WORK_STEPS : 0;
	enum work_step step = e.kind ? (e.kind - 1) % WORK_STEPS : 0;

	works->samples++;
	if (err || !e.kind || !works->events->wanted[class] ||
	    !work_step_counts(options->measure, step))
		return err;
	err = work_find(works, r, &e, class, &work);
	/* The event that raises a work may lack its name. */
	if (err || (options->name && work->name && strcmp(options->name, work->name)))
		return err;
	work_note_time(works, r->sample.time);
	if (step == WORK_RAISE)
		return work_raise(work, r->sample.time);
	return step == WORK_ENTRY ? work_enter(works, work, r) :
		work_leave(works, work, r->sample.time);
}

/*
 * A CPU that loses records may lose the rest of works that it had raised or entered before.  Works
 * of queues are raised by any CPU.
 */
static struct error *work_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct kernel_works *works = container_of(consumer, struct kernel_works, consumer);

	if (r->record.header->type != PERF_RECORD_LOST)
		return NULL;
	for (size_t i = 0; i < works->works.nr; i++) {
		struct kernel_work *work = &works->works.items[i];
		bool here = r->sample.cpu < 0 || work->cpu == r->sample.cpu;

		if (here || work->class == WORK_QUEUED) {
			works->skipped[WORK_RAISE] += work->raised.nr;
			work->raised.nr = 0;
		}
		while (here && work->entered.nr) {
			works->skipped[WORK_ENTRY]++;
			free(work->entered.items[--work->entered.nr].chain);
		}
	}
	return NULL;
}

static struct error *work_finish(struct session_consumer *consumer)
{
	struct kernel_works *works = container_of(consumer, struct kernel_works, consumer);

	for (size_t i = 0; i < works->works.nr; i++) {
		works->skipped[WORK_RAISE] += works->works.items[i].raised.nr;
		works->skipped[WORK_ENTRY] += works->works.items[i].entered.nr;
	}
	return NULL;
}

struct error *kernel_works_create(const struct kernel_works_options *options,
				  struct kernel_works **ret)
{
	struct kernel_works *works = calloc(1, sizeof(*works));

	if (works)
		works->events = calloc(1, sizeof(*works->events));
	if (!works || !works->events) {
		free(works);
		return &error_no_memory;
	}
	works->options = options;
	works->events->known.rows = work_rows;
	for (size_t i = 0; i < options->nr_classes; i++)
		works->events->wanted[options->classes[i]] = true;
	works->consumer = (struct session_consumer){
		.sample = work_sample, .other = work_other, .finish = work_finish,
	};
	*ret = works;
	return NULL;
}

void kernel_works_destroy(struct kernel_works *works)
{
	if (!works)
		return;
	for (size_t i = 0; i < works->works.nr; i++) {
		struct kernel_work *work = &works->works.items[i];

		for (size_t k = 0; k < work->entered.nr; k++)
			free(work->entered.items[k].chain);
		free(work->entered.items);
		free(work->raised.items);
		free(work->name);
	}
	free(works->works.items);
	known_events_deinit(&works->events->known);
	hash_table_deinit(&works->events->index);
	free(works->events);
	free(works);
}

static uint64_t work_value(const struct kernel_work *work, enum work_key key)
{
	switch (key) {
	case WORK_TOTAL:
		return work->total;
	case WORK_AVG:
		return work->count ? work->total / work->count : 0;
	case WORK_MAX:
		return work->max;
	case WORK_COUNT:
		return work->count;
	case WORK_ID:
		break;
	}
	return 0;
}

static int work_compare_id(const struct kernel_work *x, const struct kernel_work *y)
{
	if (x->cpu != y->cpu)
		return x->cpu > y->cpu ? -1 : 1;
	return array_descending(x->id, y->id);
}

struct work_order {
	const struct kernel_works_options *options;
	const enum work_key *keys;
	size_t nr;
};

static size_t work_class_position(const struct kernel_works_options *options, enum work_class class)
{
	size_t i = 0;

	while (i < options->nr_classes && options->classes[i] != class)
		i++;
	return i;
}

static int work_compare(const void *a, const void *b, void *data)
{
	const struct work_order *order = data;
	const struct kernel_work *x = a, *y = b;
	size_t of_x, of_y;

	for (size_t i = 0; i < order->nr; i++) {
		enum work_key key = order->keys[i];
		int result = key == WORK_ID ? work_compare_id(x, y) :
			array_descending(work_value(x, key), work_value(y, key));

		if (result)
			return result;
	}
	of_x = work_class_position(order->options, x->class);
	of_y = work_class_position(order->options, y->class);
	return of_x != of_y ? array_descending(of_y, of_x) : work_compare_id(x, y);
}

void kernel_works_sort(struct kernel_works *works, const enum work_key *keys, size_t nr)
{
	struct work_order order = { works->options, keys, nr };

	if (works->works.nr)
		qsort_r(works->works.items, works->works.nr, sizeof(*works->works.items),
			work_compare, &order);
}
