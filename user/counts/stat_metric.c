// SPDX-License-Identifier: GPL-2.0
#include "counts/stat_metric.h"

#include <math.h>
#include <string.h>

#include "lib/array.h"

#define CACHE(cache, result) \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

/* The share of one event in another one. */
struct stat_share {
	uint32_t type;		/* of both */
	uint64_t part, whole;	/* config */
	const char *format, *unit;
	double factor;
};

static const struct stat_share stat_shares[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
	  "%7.2f ", "insn per cycle", 1 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  "%7.2f%%", "of all branches", 100 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_REFERENCES,
	  "%8.3f %%", "of all cache refs", 100 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, PERF_COUNT_HW_CPU_CYCLES,
	  "%7.2f%%", "frontend cycles idle", 100 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, PERF_COUNT_HW_CPU_CYCLES,
	  "%7.2f%%", "backend cycles idle", 100 },
	{ PERF_TYPE_HW_CACHE, CACHE(L1D, MISS), CACHE(L1D, ACCESS),
	  "%7.2f%%", "of all L1-dcache accesses", 100 },
	{ PERF_TYPE_HW_CACHE, CACHE(L1I, MISS), CACHE(L1I, ACCESS),
	  "%7.2f%%", "of all L1-icache accesses", 100 },
	{ PERF_TYPE_HW_CACHE, CACHE(DTLB, MISS), CACHE(DTLB, ACCESS),
	  "%7.2f%%", "of all dTLB cache accesses", 100 },
	{ PERF_TYPE_HW_CACHE, CACHE(ITLB, MISS), CACHE(ITLB, ACCESS),
	  "%7.2f%%", "of all iTLB cache accesses", 100 },
	{ PERF_TYPE_HW_CACHE, CACHE(LL, MISS), CACHE(LL, ACCESS),
	  "%7.2f%%", "of all LL-cache accesses", 100 },
};

static bool stat_is(const struct event *event, uint32_t type, uint64_t config)
{
	return event->attr.type == type && event->attr.config == config;
}

static bool stat_same_cgroup(const struct event *a, const struct event *b)
{
	return !a->cgroup == !b->cgroup && (!a->cgroup || !strcmp(a->cgroup, b->cgroup));
}

/*
 * Whether both count in the same tasks, at the same levels.  Clocks count the time of all levels,
 * and every event is comparable with them.
 */
static bool stat_comparable(const struct event *a, const struct event *b)
{
	if (stat_is_clock(a))
		return stat_same_cgroup(a, b);
	return stat_same_cgroup(a, b) && a->attr.exclude_user == b->attr.exclude_user &&
	       a->attr.exclude_kernel == b->attr.exclude_kernel &&
	       a->attr.exclude_hv == b->attr.exclude_hv &&
	       a->attr.exclude_idle == b->attr.exclude_idle;
}

/* Returns the event that has counted in the set and is comparable; NULL: there is none. */
static const struct stat_table_event *stat_find(const struct stat_table *t,
						const struct event *event, size_t set,
						bool (*is)(const struct event *, const void *),
						const void *data, const struct stat_cell **ret)
{
	for (size_t i = 0; i < t->nr_events; i++) {
		*ret = stat_table_cell(t, i, set);
		if (is(t->events[i].event, data) && stat_comparable(t->events[i].event, event) &&
		    stat_cell_counted(*ret))
			return &t->events[i];
	}
	return NULL;
}

static bool stat_is_whole_of(const struct event *event, const void *data)
{
	const struct stat_share *share = data;

	return stat_is(event, share->type, share->whole);
}

static bool stat_is_any_clock(const struct event *event, const void *data)
{
	return stat_is_clock(event);
}

static bool stat_is_config(const struct event *event, const void *data)
{
	return stat_is(event, PERF_TYPE_HARDWARE, *(const uint64_t *)data);
}

/* The value of @event divided by that of the event that @is finds, times @factor. */
static bool stat_ratio(const struct stat_table *t, size_t event, size_t set,
		       bool (*is)(const struct event *, const void *), const void *data,
		       double factor, struct stat_metric *metric)
{
	const struct stat_cell *part = stat_table_cell(t, event, set), *whole;
	const struct event *e = t->events[event].event;
	const struct stat_table_event *other = stat_find(t, e, set, is, data, &whole);

	if (!other)
		return false;
	if (!stat_counted_together(e, part, other->event, whole))
		metric->apart = other->event;
	else if (whole->value.mean)
		metric->value = factor * part->value.mean / whole->value.mean;
	else
		return false;
	return true;
}

/* Add the larger number of stalled cycles per instruction. */
static size_t stat_add_stalls(const struct stat_table *t, size_t event, size_t set,
			      struct stat_metric *ret)
{
	static const uint64_t stalls[] = {
		PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	};
	struct stat_metric found = { .unit = "stalled cycles per insn", .format = "%7.2f " };

	for (size_t i = 0; i < ARRAY_SIZE(stalls); i++) {
		struct stat_metric ratio = { 0 };

		if (stat_ratio(t, event, set, stat_is_config, &stalls[i], 1, &ratio) &&
		    ratio.value > 0 && 1 / ratio.value > found.value)
			found.value = 1 / ratio.value;
	}
	if (!found.value)
		return 0;
	*ret = found;
	return 1;
}

/* Returns a rate in the unit that keeps it short. */
static void stat_set_rate(double rate, struct stat_metric *ret)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	size_t i = 0;

	while (rate > 1000 && i + 1 < ARRAY_SIZE(units)) {
		rate /= 1000;
		i++;
	}
	ret->value = rate;
	ret->unit = units[i];
}

static size_t stat_add_share(const struct stat_table *t, size_t event, size_t set,
			     const struct stat_share *share, struct stat_metric *ret)
{
	size_t nr = 1;

	*ret = (struct stat_metric){ .unit = share->unit };
	if (stat_ratio(t, event, set, stat_is_whole_of, share, share->factor, ret) && !ret->apart)
		ret->format = share->format;
	if (share->part == PERF_COUNT_HW_INSTRUCTIONS && share->type == PERF_TYPE_HARDWARE)
		nr += stat_add_stalls(t, event, set, ret + 1);
	return nr;
}

/* The formulas that are shown beside an event. */
static size_t stat_add_formulas(const struct stat_table *t, size_t event, size_t set,
				struct stat_metric ret[STAT_METRICS_MAX])
{
	const struct stat_formulas *formulas = t->formulas;
	size_t at = event % formulas->nr_events, nr = 0;

	for (size_t i = 0; i < formulas->nr && nr < STAT_METRICS_MAX; i++) {
		const struct stat_formula *f = &formulas->items[i];
		struct stat_formula_value value;

		if (!f->shown || f->home != at)
			continue;
		stat_formula_compute(t, i, event - at, set, &value);
		ret[nr++] = (struct stat_metric){
			.unit = f->unit, .formula = f, .value = value.value,
			.format = isnan(value.value) ? NULL : f->has_unit ? "%8.1f" : "%8.2f",
		};
	}
	return nr;
}

size_t stat_metrics_find(const struct stat_table *t, size_t event, size_t set,
			 struct stat_metric ret[STAT_METRICS_MAX])
{
	const struct stat_table_event *e = &t->events[event];
	const struct event *of = e->event;

	memset(ret, 0, STAT_METRICS_MAX * sizeof(*ret));
	if (t->formulas && event % t->formulas->nr_events >= t->formulas->first_event)
		return stat_add_formulas(t, event, set, ret);
	for (size_t i = 0; i < ARRAY_SIZE(stat_shares); i++)
		if (stat_is(of, stat_shares[i].type, stat_shares[i].part))
			return stat_add_share(t, event, set, &stat_shares[i], ret);
	if (stat_is(of, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES)) {
		/* The clock's values are in ms. */
		ret->unit = "GHz";
		if (stat_ratio(t, event, set, stat_is_any_clock, NULL, 1e-6, ret) && !ret->apart)
			ret->format = "%8.3f";
		return 1;
	}
	if (stat_is_clock(of)) {
		ret->unit = "CPUs utilized";
		if (!t->elapsed.mean)
			return 1;
		ret->format = "%8.3f";
		ret->value = stat_table_cell(t, event, set)->value.mean / e->scale /
			     t->elapsed.mean;
		return 1;
	}
	if (!stat_ratio(t, event, set, stat_is_any_clock, NULL, 1000, ret))
		return 0;
	if (!ret->apart)
		ret->format = "%8.3f";
	stat_set_rate(ret->value, ret);
	return 1;
}
