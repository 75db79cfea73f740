// SPDX-License-Identifier: GPL-2.0
#include "counts/stat_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/event_terms.h"

/* The sums of one event in one set, in one run. */
struct stat_sum {
	double value;			/* extrapolated to the time below */
	double counted;			/* the enabled time of places with any count */
	double enabled, running;
};

bool stat_is_clock(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

enum event_tool stat_tool(const struct event *event)
{
	return event_names_tool(event->attr.type, event->attr.config, event->name);
}

void stat_series_add(struct stat_series *series, double number)
{
	double distance = number - series->mean;

	series->nr++;
	series->mean += distance / series->nr;
	series->squares += distance * (number - series->mean);
}

double stat_series_error(const struct stat_series *series)
{
	if (series->nr < 2)
		return 0;
	return sqrt(series->squares / (series->nr - 1) / series->nr);
}

double stat_series_error_percent(const struct stat_series *series)
{
	return series->mean ? 100 * stat_series_error(series) / series->mean : 0;
}

/* Whether a place belongs to a set. */
static bool stat_set_has(enum stat_by by, const struct stat_set *set,
			 const struct stat_place *place, const struct cpu_place *cpu)
{
	switch (by) {
	case STAT_BY_ALL:
		return true;
	case STAT_BY_SOCKET:
		return set->cpu.socket == cpu->socket;
	case STAT_BY_DIE:
		return set->cpu.socket == cpu->socket && set->cpu.die == cpu->die;
	case STAT_BY_CORE:
		return set->cpu.socket == cpu->socket && set->cpu.die == cpu->die &&
		       set->cpu.core == cpu->core;
	case STAT_BY_NODE:
		return set->cpu.node == cpu->node;
	case STAT_BY_CPU:
		return set->place.cpu == place->cpu;
	case STAT_BY_THREAD:
		return set->place.tid == place->tid;
	}
	return false;
}

static int stat_set_compare(const void *a, const void *b)
{
	const struct stat_set *x = a, *y = b;
	const int keys[][2] = {
		{ x->cpu.socket, y->cpu.socket }, { x->cpu.die, y->cpu.die },
		{ x->cpu.core, y->cpu.core },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return x->place.cpu < y->place.cpu ? -1 : x->place.cpu > y->place.cpu;
}

static size_t stat_table_find_set(const struct stat_table *t, const struct stat_place *place,
				  const struct cpu_place *cpu)
{
	size_t i;

	for (i = 0; i < t->nr_sets; i++)
		if (stat_set_has(t->by, &t->sets[i], place, cpu))
			break;
	return i;
}

static void stat_table_make_sets(struct stat_table *t)
{
	bool by_cpu = t->by != STAT_BY_ALL && t->by != STAT_BY_THREAD && t->by != STAT_BY_CPU;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < t->nr_places; i++) {
			const struct stat_place *place = &t->places[i];
			struct cpu_place cpu = { 0 };
			size_t set;

			if (place->cpu != STAT_ANY_CPU && by_cpu)
				cpu_place_read(place->cpu, &cpu);
			/* Each thread and CPU has one place, so no search is needed. */
			set = t->by == STAT_BY_THREAD || t->by == STAT_BY_CPU ? i :
			      stat_table_find_set(t, place, &cpu);
			if (set >= t->nr_sets)
				t->sets[t->nr_sets++] = (struct stat_set){ *place, cpu, 0 };
			t->set_of[i] = set;
			t->sets[set].nr += pass;
		}
		if (!pass && by_cpu)
			qsort(t->sets, t->nr_sets, sizeof(*t->sets), stat_set_compare);
	}
}

struct error *stat_table_init(const struct event_list *events, const struct stat_place *places,
			      size_t nr_places, enum stat_by by, struct stat_table *ret)
{
	size_t nr = events->nr * nr_places + 1;

	*ret = (struct stat_table){
		.by = by, .nr_events = events->nr, .nr_places = nr_places,
		.events = calloc(events->nr + 1, sizeof(*ret->events)),
		.places = calloc(nr_places + 1, sizeof(*ret->places)),
		.set_of = calloc(nr_places + 1, sizeof(*ret->set_of)),
		.sets = calloc(nr_places + 1, sizeof(*ret->sets)),
		.now = calloc(nr, sizeof(*ret->now)),
		.before = calloc(nr, sizeof(*ret->before)),
	};
	if (!ret->events || !ret->places || !ret->set_of || !ret->sets || !ret->now || !ret->before)
		return &error_no_memory;
	memcpy(ret->places, places, nr_places * sizeof(*places));
	for (size_t i = 0; i < events->nr; i++) {
		struct stat_table_event *e = &ret->events[i];

		*e = (struct stat_table_event){
			.event = events->items[i], .unit = "msec", .scale = 1e-6, .supported = true,
		};
		if (stat_tool(e->event))
			*e = (struct stat_table_event){
				.event = e->event, .unit = "ns", .scale = 1, .supported = true,
			};
		else if (!stat_is_clock(e->event))
			event_terms_unit(e->event->name, e->unit, sizeof(e->unit), &e->scale);
	}
	stat_table_make_sets(ret);
	ret->cells = calloc(events->nr * ret->nr_sets + 1, sizeof(*ret->cells));
	ret->sums = calloc(ret->nr_sets + 1, sizeof(*ret->sums));
	ret->placed = calloc(events->nr * ret->nr_sets + 1, sizeof(*ret->placed));
	return ret->cells && ret->sums && ret->placed ? NULL : &error_no_memory;
}

void stat_table_deinit(struct stat_table *t)
{
	free(t->events);
	free(t->places);
	free(t->set_of);
	free(t->sets);
	free(t->now);
	free(t->before);
	free(t->cells);
	free(t->placed);
	free(t->sums);
	*t = (struct stat_table){ 0 };
}

void stat_table_put(struct stat_table *t, size_t event, size_t place, struct stat_count count)
{
	t->now[event * t->nr_places + place] = count;
	t->placed[event * t->nr_sets + t->set_of[place]] = true;
}

bool stat_table_has_counter(const struct stat_table *t, size_t event, size_t set)
{
	const bool *placed = &t->placed[event * t->nr_sets];

	return placed[set] || !memchr(placed, true, t->nr_sets);
}

struct stat_cell *stat_table_cell(const struct stat_table *t, size_t event, size_t set)
{
	return &t->cells[event * t->nr_sets + set];
}

bool stat_cell_counted(const struct stat_cell *cell)
{
	return cell->running > 0;
}

bool stat_cell_whole(const struct stat_cell *cell)
{
	return cell->running >= cell->enabled;
}

bool stat_counted_together(const struct event *a, const struct stat_cell *in_a,
			   const struct event *b, const struct stat_cell *in_b)
{
	return (a->group && a->group == b->group) ||
	       (stat_cell_whole(in_a) && stat_cell_whole(in_b));
}

static void stat_sum_add(struct stat_sum *sum, struct stat_count count, bool raw)
{
	sum->enabled += count.enabled;
	sum->running += count.running;
	if (!count.running)
		return;
	sum->counted += count.enabled;
	sum->value += raw || count.running >= count.enabled ? (double)count.value :
		      (double)count.value * count.enabled / count.running;
}

/*
 * Each place is extrapolated by itself, since it has had its own share of the counters.  A place
 * without any is assumed to have the average count.
 */
static double stat_sum_value(const struct stat_sum *sum, bool raw)
{
	if (raw || sum->counted >= sum->enabled)
		return sum->value;
	return sum->value * sum->enabled / sum->counted;
}

static struct stat_count stat_count_since(struct stat_count now, struct stat_count before)
{
	return (struct stat_count){ now.value - before.value, now.enabled - before.enabled,
				    now.running - before.running };
}

static void stat_table_sum(const struct stat_table *t, size_t event)
{
	memset(t->sums, 0, t->nr_sets * sizeof(*t->sums));
	for (size_t i = 0; i < t->nr_places; i++) {
		size_t at = event * t->nr_places + i;

		stat_sum_add(&t->sums[t->set_of[i]], stat_count_since(t->now[at], t->before[at]),
			     t->raw);
	}
}

void stat_table_end_run(struct stat_table *t, uint64_t elapsed)
{
	stat_series_add(&t->elapsed, elapsed);
	for (size_t e = 0; e < t->nr_events; e++) {
		stat_table_sum(t, e);
		for (size_t s = 0; s < t->nr_sets; s++) {
			struct stat_cell *cell = stat_table_cell(t, e, s);

			cell->enabled = t->sums[s].enabled;
			cell->running = t->sums[s].running;
			if (t->sums[s].running > 0)
				stat_series_add(&cell->value, t->events[e].scale *
						stat_sum_value(&t->sums[s], t->raw));
		}
	}
}

static void stat_table_clear(struct stat_table *t)
{
	memset(t->cells, 0, t->nr_events * t->nr_sets * sizeof(*t->cells));
	t->elapsed = (struct stat_series){ 0 };
}

void stat_table_begin_interval(struct stat_table *t)
{
	memcpy(t->before, t->now, t->nr_events * t->nr_places * sizeof(*t->now));
	stat_table_clear(t);
}

void stat_table_begin_run(struct stat_table *t)
{
	memset(t->before, 0, t->nr_events * t->nr_places * sizeof(*t->before));
}

void stat_table_whole(struct stat_table *t, uint64_t elapsed)
{
	stat_table_clear(t);
	stat_table_begin_run(t);
	stat_table_end_run(t, elapsed);
}
