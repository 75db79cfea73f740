// SPDX-License-Identifier: GPL-2.0
#include "cmd/stat_metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/metric_words.h"
#include "counts/stat_metric.h"
#include "lib/array.h"
#include "lib/escape.h"
#include "lib/log.h"
#include "lib/strbuf.h"

/* A metric may depend on other metrics, and these on others. */
#define STAT_METRIC_DEPTH_MAX	32
#define STAT_METRIC_PARTS_MAX	1000

/* The events of one metric that were added at once. */
struct stat_metric_group {
	size_t first, nr;
	bool no_group;
};

struct stat_left_out;

struct stat_plan {
	struct stat_metrics *m;
	struct event_specs *specs;
	ARRAY_OF(struct stat_metric_group) groups;
	size_t formula;			/* the first one of the metric that is planned */
	const struct metric *stack[STAT_METRIC_DEPTH_MAX];
	unsigned int depth;
	struct stat_formula *current;	/* whose names are looked up */
	struct event_specs events;	/* of the metric being planned */
	ARRAY_OF(char *) names;		/* of these events, in expressions */
	char *missing;			/* the last event that was not found; NULL: all were */
	struct error *first;		/* of a recording: why the first metric was left out */
	struct stat_left_out *left_out;	/* of a recording: by all words */
};

void stat_metrics_deinit(struct stat_metrics *m)
{
	free(m->names.items);
	free(m->files.items);
	metrics_deinit(&m->known);
	stat_formulas_deinit(&m->formulas);
}

struct error *stat_metrics_add_word(void *data, const char *word)
{
	struct stat_words_list *list = data;

	return array_push(list, word) ? NULL : &error_no_memory;
}

/* The event of the recording that a metric names; NULL: it has none. */
static const struct event *stat_recorded_event(const struct stat_metrics *m, const char *name)
{
	for (size_t i = 0; i < m->nr_recorded; i++)
		if (metric_words_is_recorded(&m->known, name, m->recorded->items[i]->name))
			return m->recorded->items[i];
	return NULL;
}

static bool stat_plan_has_event(void *data, const char *name)
{
	const struct stat_metrics *m = data;

	return m->recorded ? stat_recorded_event(m, name) != NULL :
			     metric_words_has_event(&m->known, name);
}

/* ---- formulas ---------------------------------------------------------------- */

static struct error *stat_plan_formula(struct stat_plan *p, const struct metric *metric,
				       size_t *ret);

static struct error *stat_plan_recorded(const struct stat_metrics *m, const char *name,
					struct event_specs *specs)
{
	const struct event *event = stat_recorded_event(m, name);
	struct event_spec spec = { 0 };

	if (!event)
		return error_hint(error_new(ENOENT, "The recording has no counts of %s, which a "
					    "metric needs", name),
				  "'ktrace stat record -M METRICS' counts the events of metrics");
	spec.text = strdup(event->name);
	if (spec.text && array_push(specs, spec))
		return NULL;
	free(spec.text);
	return &error_no_memory;
}

static struct error *stat_plan_event(struct stat_plan *p, const char *name, size_t *ret)
{
	struct error *err;
	char *copy;

	for (size_t i = 0; i < p->names.nr; i++) {
		if (!strcmp(p->names.items[i], name)) {
			*ret = i;
			return NULL;
		}
	}
	err = p->m->recorded ? stat_plan_recorded(p->m, name, &p->events) :
			       metric_words_add_event(&p->m->known, name, &p->events);
	if (err) {
		free(p->missing);
		p->missing = err->code == ENOENT ? strdup(name) : NULL;
		return err;
	}
	copy = strdup(name);
	*ret = p->names.nr;
	if (copy && array_push(&p->names, copy))
		return NULL;
	free(copy);
	return &error_no_memory;
}

static struct error *stat_plan_name(void *data, const char *name)
{
	struct stat_plan *p = data;
	const struct metric *metric = metrics_find(&p->m->known, name);
	struct stat_formula *current = p->current;
	struct stat_operand operand = { .is_formula = metric };
	struct error *err;

	if (stat_formula_is_time(name))
		return NULL;
	for (size_t i = 0; i < current->operands.nr; i++)
		if (!strcmp(current->operands.items[i].name, name))
			return NULL;
	err = metric ? stat_plan_formula(p, metric, &operand.index) :
		       stat_plan_event(p, name, &operand.index);
	p->current = current;
	if (err)
		return err;
	operand.name = strdup(name);
	if (operand.name && array_push(&current->operands, operand))
		return NULL;
	free(operand.name);
	return &error_no_memory;
}

/* As in perf, the unit and the name stand behind the value, or the name alone. */
static struct error *stat_formula_fill(const struct metric *metric, struct stat_formula *f)
{
	_cleanup_(strbuf) struct strbuf unit = STRBUF_INIT;

	f->scale = metric->scale;
	f->has_unit = *metric->unit;
	strbuf_addf(&unit, "%s%s%s", metric->unit, f->has_unit ? "  " : "", metric->name);
	escape_controls(&unit, 0);
	f->name = strdup(metric->name);
	if (unit.failed || !f->name)
		return &error_no_memory;
	f->unit = take_ptr(unit.data);
	return metric_expr_parse(metric->expr, &f->expr);
}

static double stat_plan_literal(void *data, const char *name)
{
	struct stat_plan *p = data;

	return stat_formula_literal(&p->m->formulas, name);
}

static bool stat_plan_has(void *data, const char *name)
{
	struct stat_plan *p = data;

	return stat_formula_has_event(&p->m->formulas, name);
}

static struct error *stat_plan_check(const struct stat_plan *p, const struct metric *metric)
{
	for (unsigned int i = 0; i < p->depth; i++)
		if (p->stack[i] == metric)
			return error_new(EINVAL, "The metric '%s' depends on itself", metric->name);
	if (p->depth == STAT_METRIC_DEPTH_MAX ||
	    p->m->formulas.nr - p->formula > STAT_METRIC_PARTS_MAX)
		return error_new(EINVAL, "The metric '%s' depends on too many other metrics",
				 p->stack[0]->name);
	return NULL;
}

/* Add the formula of a metric behind the formulas that it needs. */
static struct error *stat_plan_formula(struct stat_plan *p, const struct metric *metric,
				       size_t *ret)
{
	const struct metric_names names = {
		.literal = stat_plan_literal, .has_event = stat_plan_has, .data = p,
	};
	struct stat_formulas one = { 0 };
	struct error *err;

	for (size_t i = p->formula; i < p->m->formulas.nr; i++) {
		if (!strcmp(p->m->formulas.items[i].name, metric->name)) {
			*ret = i;
			return NULL;
		}
	}
	err = stat_plan_check(p, metric);
	if (err)
		return err;
	if (!array_push(&one, (struct stat_formula){ 0 }))
		return &error_no_memory;
	p->stack[p->depth++] = metric;
	err = stat_formula_fill(metric, one.items);
	p->current = one.items;
	if (!err)
		err = metric_expr_each_name(one.items->expr, &names, stat_plan_name);
	p->depth--;
	*ret = p->m->formulas.nr;
	if (!err && array_push(&p->m->formulas, *one.items))
		one.nr = 0;
	else if (!err)
		err = &error_no_memory;
	stat_formulas_deinit(&one);
	return err;
}

/* ---- events ------------------------------------------------------------------ */

static const struct event_spec *stat_find_text(const struct event_specs *specs, size_t first,
					       size_t nr, const char *text)
{
	for (size_t i = first; i < first + nr; i++)
		if (!strcmp(specs->items[i].text, text))
			return &specs->items[i];
	return NULL;
}

/* Whether a group counts all events of this metric. */
static bool stat_group_has_all(const struct stat_plan *p, const struct stat_metric_group *group)
{
	for (size_t i = 0; i < p->events.nr; i++)
		if (!stat_find_text(p->specs, group->first, group->nr, p->events.items[i].text))
			return false;
	return true;
}

static uint32_t stat_next_group(const struct event_specs *specs)
{
	uint32_t highest = 0;

	for (size_t i = 0; i < specs->nr; i++)
		highest = specs->items[i].group > highest ? specs->items[i].group : highest;
	return highest + 1;
}

/* Have a spec of the metric counted; *ret is its index.  Texts that are not needed are freed. */
static struct error *stat_plan_count(struct stat_plan *p, size_t index,
				     const struct stat_metric_group *group, bool shared,
				     size_t *ret)
{
	struct event_spec *spec = &p->events.items[index];
	const struct event_spec *same = NULL;

	if (shared)
		same = stat_find_text(p->specs, group->first, group->nr, spec->text);
	for (size_t i = 0; !same && !p->m->no_merge && group->no_group && i < p->groups.nr; i++)
		if (p->groups.items[i].no_group)
			same = stat_find_text(p->specs, p->groups.items[i].first,
					      p->groups.items[i].nr, spec->text);
	/* Two names of one event are one. */
	if (!same)
		same = stat_find_text(p->specs, group->first, p->specs->nr - group->first,
				      spec->text);
	if (same) {
		*ret = same - p->specs->items;
		return NULL;
	}
	*ret = p->specs->nr;
	if (!array_push(p->specs, *spec))
		return &error_no_memory;
	*spec = (struct event_spec){ 0 };
	return NULL;
}

/* Renumber the events in the formulas from @first on by the table @at. */
static void stat_formulas_renumber(struct stat_formulas *formulas, size_t first, const size_t *at)
{
	for (size_t f = first; f < formulas->nr; f++) {
		struct stat_formula *formula = &formulas->items[f];

		formula->home = at[formula->home];
		for (size_t i = 0; i < formula->operands.nr; i++) {
			struct stat_operand *operand = &formula->operands.items[i];

			if (!operand->is_formula)
				operand->index = at[operand->index];
		}
	}
}

/* If the counters are too few for the group, its events are counted by themselves. */
static void stat_plan_bind(struct event_specs *specs, const struct stat_metric_group *group)
{
	uint32_t number = stat_next_group(specs);

	for (size_t i = group->first; i < specs->nr; i++) {
		struct event_spec *spec = &specs->items[i];
		size_t len = strlen(spec->modifiers);

		spec->group = number;
		if (len + 1 < sizeof(spec->modifiers))
			memcpy(spec->modifiers + len, "W", 2);
	}
}

/* How many metrics are shown beside an event. */
static size_t stat_plan_shown(const struct stat_formulas *formulas, size_t event)
{
	size_t nr = 0;

	for (size_t i = 0; i < formulas->nr; i++)
		nr += formulas->items[i].shown && formulas->items[i].home == event;
	return nr;
}

/* Choose the event beside which the metric is shown: one of its own, @at, that has room. */
static struct error *stat_plan_home(struct stat_plan *p, const size_t *at)
{
	struct stat_formulas *formulas = &p->m->formulas;
	struct stat_formula *last = &formulas->items[formulas->nr - 1];

	for (size_t i = 0; i < p->events.nr; i++) {
		if (stat_plan_shown(formulas, at[i]) == STAT_METRICS_MAX)
			continue;
		last->home = at[i];
		last->shown = true;
		return NULL;
	}
	return error_hint(error_new(E2BIG, "%d metrics already use %s",
				    STAT_METRICS_MAX, p->specs->items[at[0]].text),
			  "Give fewer metrics");
}

/* Have the metric's events counted, and its formulas refer to where. */
static struct error *stat_plan_events(struct stat_plan *p, bool no_group)
{
	struct stat_metric_group group = { .first = p->specs->nr, .no_group = no_group };
	size_t *at = calloc(p->events.nr + 1, sizeof(*at));
	struct error *err = at ? NULL : &error_no_memory;
	bool shared = false;

	for (size_t i = 0; !p->m->no_merge && !shared && i < p->groups.nr; i++) {
		shared = (no_group || !p->groups.items[i].no_group) &&
			 stat_group_has_all(p, &p->groups.items[i]);
		group = shared ? p->groups.items[i] : group;
	}
	for (size_t i = 0; !err && i < p->events.nr; i++)
		err = stat_plan_count(p, i, &group, shared, &at[i]);
	if (!err)
		stat_formulas_renumber(&p->m->formulas, p->formula, at);
	if (!err)
		err = stat_plan_home(p, at);
	if (!err && !shared) {
		group.nr = p->specs->nr - group.first;
		if (!no_group && group.nr > 1)
			stat_plan_bind(p->specs, &group);
		if (!array_push(&p->groups, group))
			err = &error_no_memory;
	}
	free(at);
	return err;
}

static void stat_plan_reset(struct stat_plan *p)
{
	array_free_each(&p->names);
	p->names.items = NULL;
	p->names.nr = p->names.alloc = 0;
	event_specs_deinit(&p->events);
}

static void stat_plan_deinit(struct stat_plan *p)
{
	stat_plan_reset(p);
	free(p->groups.items);
	free(p->missing);
	error_free(p->first);
}

static struct error *stat_plan_metric(struct stat_plan *p, const struct metric *metric)
{
	struct stat_formulas *formulas = &p->m->formulas;
	struct error *err;
	size_t index;

	p->formula = formulas->nr;
	free(p->missing);
	p->missing = NULL;
	err = stat_plan_formula(p, metric, &index);
	if (!err && !p->events.nr)
		err = error_new(EINVAL, "It uses no events");
	if (!err)
		err = stat_plan_events(p, metric->no_group || p->m->no_group);
	stat_plan_reset(p);
	if (!err)
		return NULL;
	/* Leave no part of it behind. */
	while (formulas->nr > p->formula) {
		struct stat_formulas one = { 0 };

		if (!array_push(&one, formulas->items[formulas->nr - 1]))
			break;
		formulas->nr--;
		stat_formulas_deinit(&one);
	}
	return error_prefix(err, "The metric '%s' cannot be %s", metric->name,
			    p->m->recorded ? "computed" : "counted");
}

/* ---- names of metrics ----------------------------------------------------------- */

static bool stat_is_every_metric(const char *name)
{
	return !strcasecmp(name, "all");
}

/* Whether a later metric of the same name replaces this one. */
static bool stat_is_replaced(const struct metrics *known, const struct metric *metric)
{
	return metrics_find(known, metric->name) != metric;
}

/* Metrics of a group that are left out for one reason. */
struct stat_left_out {
	struct strbuf names;
	size_t nr;
};

#define STAT_NAMES_SHOWN	10

static const char *const stat_reasons[] = {
	"This machine does not have the events of",
	"The recording does not have the events of",
	"Too many metrics use the same event, so these are left out:",
	"Each of these metrics is invalid, so they are left out:",
};

/* Which of the reasons it was. */
static size_t stat_reason_of(const struct stat_plan *p, const struct error *why)
{
	if (why->code == ENOENT)
		return p->m->recorded ? 1 : 0;
	return why->code == E2BIG ? 2 : 3;
}

static void stat_leave_out(const struct stat_plan *p, struct stat_left_out *left_out,
			   const struct error *why, const char *name)
{
	left_out += stat_reason_of(p, why);
	if (left_out->nr < STAT_NAMES_SHOWN)
		strbuf_addf(&left_out->names, "%s%s", left_out->nr ? ", " : "", name);
	if (left_out->nr < STAT_NAMES_SHOWN && p->m->recorded && p->missing)
		strbuf_addf(&left_out->names, " (%s)", p->missing);
	left_out->nr++;
}

static void stat_tell_left_out(struct stat_left_out *left_out)
{
	for (size_t i = 0; i < ARRAY_SIZE(stat_reasons); i++, left_out++) {
		if (left_out->nr > STAT_NAMES_SHOWN)
			strbuf_addf(&left_out->names, " and %zu more",
				    left_out->nr - STAT_NAMES_SHOWN);
		if (left_out->nr)
			log_notice("%s %s.", stat_reasons[i], strbuf_str(&left_out->names));
	}
}

/* Plan the metrics of a group that can be counted. */
static struct error *stat_plan_each(struct stat_plan *p, const char *name, size_t *ret_found,
				    size_t *ret_planned, struct stat_left_out *left_out)
{
	const struct metrics *known = &p->m->known;

	for (size_t i = 0; i < known->nr; i++) {
		const struct metric *metric = &known->items[i];
		struct error *err;

		if (stat_is_replaced(known, metric) ||
		    (!stat_is_every_metric(name) && !metric_in_group(metric, name)))
			continue;
		++*ret_found;
		err = stat_plan_metric(p, metric);
		*ret_planned += !err;
		if (err == &error_no_memory)
			return err;
		if (err)
			stat_leave_out(p, left_out, err, metric->name);
		error_free(err);
	}
	return NULL;
}

/* Metrics of a group that cannot be counted here are left out, with a notice. */
static struct error *stat_plan_group(struct stat_plan *p, const char *name)
{
	struct stat_left_out left_out[ARRAY_SIZE(stat_reasons)] = { { STRBUF_INIT, 0 } };
	size_t found = 0, planned = 0;
	struct error *err = stat_plan_each(p, name, &found, &planned, left_out);

	if (!err && planned)
		stat_tell_left_out(left_out);
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		strbuf_deinit(&left_out[i].names);
	if (!err && !found)
		return error_hint(error_new(EINVAL, "There is no metric and no group of metrics '%s'",
					    name), "'ktrace list metrics' lists those of this machine; "
				  "--metric-file reads more, such as those in tools/perf/pmu-events of "
				  "the kernel's sources");
	if (!err && !planned && p->m->recorded)
		return error_hint(error_new(ENOENT, "The recording has the events of no metric in the "
					    "group '%s'", name),
				  "'ktrace stat record -M METRICS' counts the events of metrics");
	if (!err && !planned)
		return error_hint(error_new(ENOENT, "This machine has the events of no metric in the "
					    "group '%s'", name),
				  "'ktrace list metrics' lists the metrics that it has");
	return err;
}

static struct error *stat_plan_word(struct stat_plan *p, const char *name)
{
	const struct metric *metric = metrics_find(&p->m->known, name);
	struct error *err = metric ? stat_plan_metric(p, metric) : stat_plan_group(p, name);

	if (!err || !p->m->recorded || !metric || !p->missing)
		return err;
	/* A metric without its events in the recording does not stop the other metrics. */
	stat_leave_out(p, p->left_out, err, metric->name);
	if (p->first)
		error_free(err);
	else
		p->first = err;
	return NULL;
}

static struct error *stat_plan_list(struct stat_plan *p, const char *list)
{
	_cleanup_free_ char *copy = strdup(list);
	struct error *err = copy ? NULL : &error_no_memory;
	char *save = NULL;
	size_t nr = 0;

	for (char *word = copy ? strtok_r(copy, ",", &save) : NULL; !err && word;
	     word = strtok_r(NULL, ",", &save), nr++)
		err = stat_plan_word(p, word);
	if (!err && !nr)
		err = error_new(EINVAL, "-M takes names of metrics, not '%s'", list);
	return err;
}

static struct error *stat_plan_words(struct stat_plan *p)
{
	struct stat_left_out left_out[ARRAY_SIZE(stat_reasons)] = { { STRBUF_INIT, 0 } };
	const struct stat_metrics *m = p->m;
	struct error *err = NULL;

	p->left_out = left_out;
	for (size_t i = 0; !err && i < m->names.nr; i++)
		err = stat_plan_list(p, m->names.items[i]);
	if (!err && p->first && !m->formulas.nr)
		err = take_ptr(p->first);
	if (!err)
		stat_tell_left_out(left_out);
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		strbuf_deinit(&left_out[i].names);
	p->left_out = NULL;
	return err;
}

struct error *stat_metrics_find_events(struct stat_metrics *m, bool whole_cpus,
				       struct event_specs *specs)
{
	struct stat_plan plan = { .m = m, .specs = specs };
	struct error *err = NULL;

	if (m->names.nr)
		err = metric_words_read(m->files.items, m->files.nr, &m->known);
	else if (m->files.nr)
		err = error_hint(error_new(EINVAL, "--metric-file only reads metrics; none is counted"),
				 "-M names the metrics to count");
	m->formulas.first_event = specs->nr;
	m->formulas.whole_cpus = whole_cpus;
	m->formulas.has_event = stat_plan_has_event;
	m->formulas.data = m;
	if (!err)
		err = stat_plan_words(&plan);
	m->formulas.nr_events = specs->nr;
	stat_plan_deinit(&plan);
	return err;
}

/* Returns the number of events for each cgroup.  Only their names show it. */
static size_t stat_recorded_period(const struct event_list *events)
{
	for (size_t period = 1; period < events->nr; period++) {
		size_t i = period;

		while (i < events->nr && !strcmp(events->items[i]->name,
						 events->items[i % period]->name))
			i++;
		if (i == events->nr && !(events->nr % period))
			return period;
	}
	return events->nr;
}

/* Find the recorded event of each spec.  @first: those of the metrics are the last ones. */
static struct error *stat_find_recorded(const struct event_specs *specs,
					const struct event_list *events, size_t nr, size_t *ret_at,
					size_t *ret_first)
{
	size_t first = nr >= specs->nr ? nr - specs->nr : 0;
	bool same = nr >= specs->nr;

	for (size_t i = 0; i < specs->nr && same; i++) {
		same = !strcmp(specs->items[i].text, events->items[first + i]->name);
		ret_at[i] = first + i;
	}
	*ret_first = same ? first : 0;
	for (size_t i = 0; i < specs->nr && !same; i++) {
		size_t at = 0;

		while (at < nr && strcmp(specs->items[i].text, events->items[at]->name))
			at++;
		if (at == nr)
			return error_hint(error_new(ENOENT, "The recording has no counts of %s, "
						    "which a metric needs", specs->items[i].text),
					  "'ktrace stat record -M METRICS' counts the events of "
					  "metrics");
		ret_at[i] = at;
	}
	return NULL;
}

struct error *stat_metrics_find_recorded(struct stat_metrics *m, bool whole_cpus,
					 const struct event_list *events)
{
	size_t nr = stat_recorded_period(events);
	struct event_specs specs = { 0 };
	_cleanup_free_ size_t *at = NULL;
	struct error *err;

	m->recorded = events;
	m->nr_recorded = nr;
	err = stat_metrics_find_events(m, whole_cpus, &specs);
	at = calloc(specs.nr + 1, sizeof(*at));

	if (!err && !at)
		err = &error_no_memory;
	if (!err)
		err = stat_find_recorded(&specs, events, nr, at, &m->formulas.first_event);
	event_specs_deinit(&specs);
	if (err)
		return err;
	m->formulas.nr_events = nr;
	stat_formulas_renumber(&m->formulas, 0, at);
	return NULL;
}

bool stat_metrics_has(struct stat_metrics *m, const struct metric *metric)
{
	struct event_specs specs = { 0 };
	struct stat_plan plan = { .m = m, .specs = &specs };
	struct error *err;

	m->formulas.has_event = stat_plan_has_event;
	m->formulas.data = m;
	err = stat_plan_metric(&plan, metric);
	stat_plan_deinit(&plan);
	event_specs_deinit(&specs);
	stat_formulas_deinit(&m->formulas);
	error_free(err);
	return !err;
}

/* ---- notes about the numbers --------------------------------------------------- */

void stat_metrics_tell(const struct stat_table *t)
{
	const struct stat_formulas *formulas = t->formulas;
	_cleanup_(strbuf) struct strbuf missing = STRBUF_INIT;

	/* After intervals, only their own values exist. */
	for (size_t i = 0; formulas && t->nr_sets && t->elapsed.nr && i < formulas->nr; i++) {
		const struct stat_formula *f = &formulas->items[i];
		struct stat_formula_value value;

		if (!f->shown)
			continue;
		stat_formula_compute(t, i, 0, 0, &value);
		if (value.missing)
			strbuf_addf(&missing, "%s%s (%s)", missing.len ? ", " : "", f->name,
				    value.missing->name);
		else if (isnan(value.value))
			log_notice("The metric %s is not computed, because that would divide by 0.",
				   f->name);
		else if (value.apart[0])
			log_notice("The metric %s uses counts of different times, because %s and "
				   "%s were not counted together.", f->name, value.apart[0]->name,
				   value.apart[1]->name);
	}
	if (missing.len)
		log_notice("Not computed, because an event of each was not counted: %s.",
			   strbuf_str(&missing));
}
