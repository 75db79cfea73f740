// SPDX-License-Identifier: GPL-2.0
#include "profile/function_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

void event_columns_deinit(struct event_columns *columns)
{
	free(columns->events);
	free(columns->names);
	free(columns->totals);
	strbuf_deinit(&columns->name);
	*columns = (struct event_columns){ .name = STRBUF_INIT };
}

static void event_columns_add(struct event_columns *columns, const struct event_list *events,
			      size_t event, struct sample_count total)
{
	columns->totals[columns->nr] = total;
	columns->names[columns->nr] = events->items[event]->name;
	columns->events[columns->nr++] = event;
	strbuf_addf(&columns->name, "%s%s", columns->name.len ? ", " : "",
		    events->items[event]->name);
}

struct error *event_columns_make(const struct event_list *events,
				 const struct function_counts *counts, size_t first, bool all,
				 struct event_columns *ret)
{
	uint32_t group = events->items[first]->group;

	*ret = (struct event_columns){
		.events = calloc(events->nr, sizeof(*ret->events)),
		.names = calloc(events->nr, sizeof(*ret->names)),
		.totals = calloc(events->nr, sizeof(*ret->totals)), .name = STRBUF_INIT,
	};
	if (!ret->events || !ret->names || !ret->totals)
		return &error_no_memory;
	event_columns_add(ret, events, first, function_counts_total(counts, first));
	for (size_t i = 0; i < events->nr; i++) {
		struct sample_count total = function_counts_total(counts, i);

		if (i != first && (all ? total.samples > 0 :
				   group && events->items[i]->group == group))
			event_columns_add(ret, events, i, total);
	}
	if (ret->nr > 1) {
		_cleanup_free_ char *names = take_ptr(ret->name.data);

		ret->name = (struct strbuf)STRBUF_INIT;
		strbuf_addf(&ret->name, "anon group { %s }", names ? names : "");
	}
	return ret->name.failed ? &error_no_memory : NULL;
}

DEFINE_COMPARISON(compare_ranked_functions, struct ranked_function,
		  array_descending(x->period, y->period) ?: array_descending(x->all, y->all) ?:
		  strcmp(x->function->symbol->name, y->function->symbol->name))

static struct ranked_function rank_function(const struct counted_function *f,
					    const struct event_columns *columns)
{
	struct ranked_function ranked = { .function = f };

	for (size_t i = 0; i < f->addresses.nr; i++) {
		const struct address_count *at = &f->addresses.items[i];

		for (size_t column = 0; column < columns->nr; column++) {
			if (columns->events[column] != at->event)
				continue;
			ranked.all += at->count.period;
			ranked.period += column ? 0 : at->count.period;
		}
	}
	return ranked;
}

struct error *function_ranks_make(const struct function_counts *counts,
				  const struct event_columns *columns, const char *name,
				  struct function_ranks *ret)
{
	size_t nr = function_counts_nr(counts);

	*ret = (struct function_ranks){ .items = calloc(nr + 1, sizeof(*ret->items)) };
	if (!ret->items)
		return &error_no_memory;
	for (size_t i = 0; i < nr; i++) {
		const struct counted_function *f = function_counts_at(counts, i);
		struct ranked_function ranked;

		if (name && strcmp(name, f->symbol->name))
			continue;
		ranked = rank_function(f, columns);
		if (ranked.all)
			ret->items[ret->nr++] = ranked;
	}
	qsort(ret->items, ret->nr, sizeof(*ret->items), compare_ranked_functions);
	return NULL;
}

void function_ranks_deinit(struct function_ranks *ranks)
{
	free(ranks->items);
	*ranks = (struct function_ranks){ 0 };
}
