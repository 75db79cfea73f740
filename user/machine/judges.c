// SPDX-License-Identifier: GPL-2.0
#include "machine/judges.h"

#include <stdlib.h>

#include "lib/array.h"

static struct error *judges_sample(struct session_consumer *consumer,
				   const struct session_record *r)
{
	struct judges *j = container_of(consumer, struct judges, consumer);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < j->list.nr; i++) {
		struct session_consumer *judge = judge_consumer(j->list.items[i].judge);

		err = judge->sample(judge, r);
	}
	return err;
}

static struct error *judges_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct judges *j = container_of(consumer, struct judges, consumer);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < j->list.nr; i++) {
		struct session_consumer *judge = judge_consumer(j->list.items[i].judge);

		err = judge->other(judge, r);
	}
	return err;
}

static struct error *judges_finish(struct session_consumer *consumer)
{
	struct judges *j = container_of(consumer, struct judges, consumer);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < j->list.nr; i++) {
		struct session_consumer *judge = judge_consumer(j->list.items[i].judge);

		err = judge->finish(judge);
	}
	return err;
}

void judges_init(struct judges *j)
{
	*j = (struct judges){
		.consumer = {
			.sample = judges_sample, .other = judges_other, .finish = judges_finish,
		},
	};
}

void judges_deinit(struct judges *j)
{
	for (size_t i = 0; i < j->list.nr; i++) {
		judge_destroy(j->list.items[i].judge);
		monitor_destroy(j->list.items[i].monitor);
	}
	free(j->list.items);
}

struct error *judges_add(struct judges *j, const char *name, const struct automaton *automaton,
			 const struct binding *binding, const struct judges_source *source)
{
	struct judge_formats recorded = { source->events, source->formats };
	const struct monitor_formats formats = { judge_find_format, &recorded };
	_cleanup_(monitor) struct monitor *monitor = NULL;
	struct judge *judge = NULL;
	struct error *err = monitor_compile(name, automaton, binding, &formats, &monitor);

	if (!err)
		err = judge_create(monitor, source->events, source->nr_cpus, &judge);
	if (err)
		return err;
	if (!array_push(&j->list, ((struct judges_item){ monitor, judge }))) {
		judge_destroy(judge);
		return &error_no_memory;
	}
	take_ptr(monitor);
	return NULL;
}

void judges_drop_last(struct judges *j)
{
	struct judges_item *item = &j->list.items[--j->list.nr];

	judge_destroy(item->judge);
	monitor_destroy(item->monitor);
}

struct error *judges_distrust(struct judges *j, bool damaged, const struct ledger *ledger,
			      struct strbuf *told)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < j->list.nr; i++) {
		struct judges_item *item = &j->list.items[i];
		const char *between = told && told->len ? "\n" : "";

		if (damaged && told)
			strbuf_addf(told, "%sRecords are damaged or missing at the end, so %s does "
				    "not know the outcome of any key.",
				    between, item->monitor->name);
		if (!damaged && (!ledger || judge_is_complete(item->judge, ledger)))
			continue;
		if (!damaged && told)
			strbuf_addf(told, "%sThe recorder left out or lost firings of the events of %s, "
				    "and it is not known which, so no key is known.", between,
				    item->monitor->name);
		err = judge_distrust(item->judge);
	}
	return err;
}

static int judges_compare(const void *a, const void *b)
{
	const struct judges_violation *v = a, *w = b;

	if (v->violation->time != w->violation->time)
		return v->violation->time < w->violation->time ? -1 : 1;
	return 0;
}

struct error *judges_violations(struct judges *j, struct judges_violation **ret, size_t *ret_nr)
{
	struct { struct judges_violation *items; size_t nr, alloc; } rows = { 0 };

	for (size_t i = 0; i < j->list.nr; i++) {
		const struct key_violation *violations;
		size_t nr;

		violations = key_table_violations(judge_keys(j->list.items[i].judge), &nr);
		for (size_t v = 0; v < nr; v++) {
			if (array_push(&rows, ((struct judges_violation){
				j->list.items[i].monitor, &violations[v] })))
				continue;
			free(rows.items);
			return &error_no_memory;
		}
	}
	/* The violations of a single monitor are already sorted. */
	if (j->list.nr > 1)
		array_sort(&rows, judges_compare);
	*ret = rows.items;
	*ret_nr = rows.nr;
	return NULL;
}
