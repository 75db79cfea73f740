// SPDX-License-Identifier: GPL-2.0
#include "machine/monitor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/ktrace/filter_encode.h"
#include "lib/array.h"
#include "record/common_field.h"
#include "spec/filter_expr.h"

/* Live keys: four times Linux' default number of task ids. */
#define MONITOR_KEYS	(1U << 17)

struct monitor_source {
	const struct binding_event *event;
	struct ktrace_machine_source source;
	size_t automaton_event;
};

/* A program while it is compiled. */
struct monitor_maker {
	const struct automaton *a;
	const struct binding *b;
	struct monitor *m;
	ARRAY_OF(const char *) clocks;	/* names in the automaton */
	ARRAY_OF(struct monitor_source) sources;
	ARRAY_OF(struct ktrace_machine_state) states;
	ARRAY_OF(struct ktrace_machine_transition) transitions;
	ARRAY_OF(struct ktrace_machine_filter) filters;
	ARRAY_OF(struct ktrace_filter_insn) insns;
	struct strbuf pool;
};

void monitor_destroy(struct monitor *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->states.nr; i++)
		free(m->states.items[i]);
	for (size_t i = 0; i < m->sources.nr; i++)
		free(m->sources.items[i]);
	free(m->states.items);
	free(m->sources.items);
	free(m->events.items);
	free(m->program);
	free(m->name);
	free(m);
}

static bool monitor_is_named_before(const struct binding *b, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(b->events.items[i].system, b->events.items[at].system) &&
		    !strcmp(b->events.items[i].event, b->events.items[at].event))
			return true;
	return false;
}

void monitor_add_missing(const struct binding *b, const struct monitor_formats *formats,
			 struct strbuf *out)
{
	size_t before = out->len;

	for (size_t i = 0; i < b->events.nr; i++) {
		const struct binding_event *e = &b->events.items[i];

		if (!monitor_is_named_before(b, i) &&
		    !formats->find(formats->data, e->system, e->event))
			strbuf_addf(out, "%s%s:%s", out->len > before ? ", " : "", e->system, e->event);
	}
	for (size_t i = 0; i < b->lacks.nr; i++)
		strbuf_addf(out, "%s%s (%s)", out->len > before ? ", " : "", b->lacks.items[i].name,
			    b->lacks.items[i].value);
}

/* Add a filter's program; *ret is its number. */
static struct error *monitor_add_filter(struct monitor_maker *k, const char *text,
					const struct event_format *format, uint16_t *ret)
{
	_cleanup_(filter) struct filter_node *tree = NULL;
	_cleanup_(filter_program) struct filter_program program = { .pool = STRBUF_INIT };
	struct ktrace_machine_filter row = { .first = k->insns.nr };
	struct error *err = filter_parse(text, format, &tree);

	if (!err)
		err = filter_encode(tree, &program);
	for (size_t i = 0; !err && i < program.nr; i++) {
		struct ktrace_filter_insn *insn = &program.insns[i];

		if (insn->src == KTRACE_FILTER_SRC_FIELD && insn->offset != KTRACE_FIELD_CPU &&
		    insn->offset != KTRACE_FIELD_TGID && insn->offset != KTRACE_FIELD_TID)
			return error_new(EINVAL, "'%s' is not part of each record, so a machine "
					 "cannot read it: %s",
					 common_field_info(insn->offset)->name, text);
		if (ktrace_filter_is_text(insn->op))
			insn->value += (uint64_t)k->pool.len << 32;
		if (!array_push(&k->insns, *insn))
			err = &error_no_memory;
	}
	if (err)
		return err;
	strbuf_add(&k->pool, program.pool.data, program.pool.len);
	row.nr = program.nr;
	*ret = k->filters.nr;
	if (k->filters.nr == MACHINE_FILTERS_MAX || k->insns.nr > MACHINE_INSNS_MAX)
		return error_new(E2BIG, "The machine has more than %d filters or %d comparisons",
				 MACHINE_FILTERS_MAX, MACHINE_INSNS_MAX);
	return array_push(&k->filters, row) ? NULL : &error_no_memory;
}

static struct error *monitor_part(struct monitor_maker *k, const struct binding_event *e,
				  const char *name, const struct event_format *format,
				  struct ktrace_machine_part *ret)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	const struct field *field = event_format_field(format, name);
	/* A name with _ in front is a property of the record, even if the event has that field. */
	const struct common_field_info *common = field ? NULL :
						 filter_find_common(name + (*name == '_'));

	if (field && field->kind == FIELD_INTEGER &&
	    (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8)) {
		*ret = (struct ktrace_machine_part){
			.offset = field->offset, .src = KTRACE_FILTER_SRC_RECORD,
			.width = field->size, .flags = field->is_signed ? KTRACE_FILTER_SIGNED : 0,
		};
		return NULL;
	}
	if (common && (common->number == KTRACE_FIELD_CPU || common->number == KTRACE_FIELD_TGID ||
		       common->number == KTRACE_FIELD_TID)) {
		*ret = (struct ktrace_machine_part){
			.offset = common->number, .src = KTRACE_FILTER_SRC_FIELD, .width = 8,
		};
		return NULL;
	}
	if (field)
		return model_text_error(&k->b->text, e->by_pos, "'%s' of %s:%s is no number, so it is no "
					"key", name, e->system, e->event);
	for (size_t i = 0; i < format->nr_fields; i++)
		if (!format->fields[i].is_common)
			strbuf_addf(&names, "%s, ", format->fields[i].name);
	return error_hint(model_text_error(&k->b->text, e->by_pos, "%s:%s has no field '%s'", e->system,
					   e->event, name),
			  "Its fields are %scpu, tid and pid", strbuf_str(&names));
}

static struct error *monitor_add_parts(struct monitor_maker *k, const struct binding_event *e,
				       const struct event_format *format,
				       struct ktrace_machine_source *source)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < e->nr_by; i++)
		err = monitor_part(k, e, e->by[i], format, &source->parts[i]);
	k->m->of_others |= k->b->key == MACHINE_KEY_TASK && e->nr_by;
	if (e->nr_by || k->b->key == MACHINE_KEY_NONE)
		return err;
	source->parts[0] = (struct ktrace_machine_part){
		.offset = k->b->key == MACHINE_KEY_CPU ? KTRACE_FIELD_CPU : KTRACE_FIELD_TID,
		.src = KTRACE_FILTER_SRC_FIELD, .width = 8,
	};
	return NULL;
}

static size_t monitor_find_event(const struct automaton *a, const char *name)
{
	for (size_t i = 0; i < a->events.nr; i++)
		if (!strcmp(a->events.items[i], name))
			return i;
	return SIZE_MAX;
}

static struct error *monitor_add_source(struct monitor_maker *k, const struct binding_event *e,
					uint32_t number)
{
	const struct event_format *format = k->m->events.items[number];
	struct monitor_source s = {
		.event = e, .automaton_event = monitor_find_event(k->a, e->name),
		.source = { .event = number, .filter = MACHINE_NO_FILTER, .start = e->start },
	};
	struct error *err = monitor_add_parts(k, e, format, &s.source);
	char *name;

	if (!err && e->filter) {
		err = monitor_add_filter(k, e->filter, format, &s.source.filter);
		if (err)
			err = model_text_prefix(&k->b->text, e->filter_pos, err);
	}
	if (err)
		return err;
	name = strdup(e->name);
	if (name && array_push(&k->m->sources, name) && array_push(&k->sources, s))
		return NULL;
	return &error_no_memory;
}

/* Add sources, grouped by tracepoint; within one tracepoint in the order of the binding. */
static struct error *monitor_add_sources(struct monitor_maker *k,
					 const struct monitor_formats *formats)
{
	const struct binding *b = k->b;
	struct error *err = NULL;

	for (size_t first = 0; !err && first < b->events.nr; first++) {
		const struct binding_event *e = &b->events.items[first];
		const struct event_format *format = formats->find(formats->data, e->system,
								  e->event);

		if (monitor_is_named_before(b, first))
			continue;
		if (!array_push(&k->m->events, format))
			return &error_no_memory;
		for (size_t i = first; !err && i < b->events.nr; i++)
			if (!strcmp(b->events.items[i].system, e->system) &&
			    !strcmp(b->events.items[i].event, e->event))
				err = monitor_add_source(k, &b->events.items[i],
							 k->m->events.nr - 1);
	}
	return err;
}

/* Each event of the automaton needs a line, and each line an event of the automaton. */
static struct error *monitor_check_events(const struct automaton *a, const struct binding *b)
{
	for (size_t i = 0; i < b->events.nr; i++)
		if (monitor_find_event(a, b->events.items[i].name) == SIZE_MAX)
			return model_text_error(&b->text, b->events.items[i].pos,
						"The automaton has no event '%s'", b->events.items[i].name);
	for (size_t i = 0; i < a->edges.nr; i++) {
		const char *name = a->events.items[a->edges.items[i].event];
		bool found = false;

		for (size_t s = 0; s < b->events.nr; s++)
			found |= !strcmp(b->events.items[s].name, name);
		if (!found)
			return model_text_error(&a->text, a->edges.items[i].pos, "%s does not "
						"define the event '%s'", b->text.path, name);
	}
	return NULL;
}

/* The number of a clock; MACHINE_NO_CLOCK: it is not a clock. */
static uint8_t monitor_clock(const struct monitor_maker *k, const char *name)
{
	for (size_t i = 0; i < k->clocks.nr; i++)
		if (!strcmp(k->clocks.items[i], name))
			return i;
	return MACHINE_NO_CLOCK;
}

static struct error *monitor_add_clock(struct monitor_maker *k, const char *name, size_t pos)
{
	if (monitor_clock(k, name) != MACHINE_NO_CLOCK)
		return NULL;
	if (k->clocks.nr == MACHINE_CLOCKS_MAX)
		return model_text_error(&k->a->text, pos, "A machine has %d clocks at most",
					MACHINE_CLOCKS_MAX);
	return array_push(&k->clocks, name) ? NULL : &error_no_memory;
}

/* A name is a clock if it is reset, or limits a state. */
static struct error *monitor_find_clocks(struct monitor_maker *k)
{
	const struct automaton *a = k->a;
	struct error *err = NULL;

	for (size_t i = 0; !err && i < a->edges.nr; i++)
		if (a->edges.items[i].reset)
			err = monitor_add_clock(k, a->edges.items[i].reset, a->edges.items[i].pos);
	for (size_t i = 0; !err && i < a->states.nr; i++)
		if (a->states.items[i].invariant.nr)
			err = monitor_add_clock(k, a->states.items[i].invariant.items[0].name,
						a->states.items[i].invariant.items[0].pos);
	return err;
}

/* The right side of a comparison; for a clock it is a time in ns. */
static struct error *monitor_number(const struct monitor_maker *k,
				    const struct automaton_compare *c, bool is_clock,
				    uint64_t *ret)
{
	static const struct { const char *unit; uint64_t ns; } units[] = {
		{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	const struct binding_word *constant;

	if (c->constant) {
		constant = binding_find(&k->b->constants, c->constant);
		if (!constant)
			return model_text_error(&k->a->text, c->pos, "%s does not define the "
						"constant '%s'", k->b->text.path, c->constant);
		*ret = constant->number;
		return NULL;
	}
	if (!is_clock && *c->unit)
		return model_text_error(&k->a->text, c->pos, "'%s' is no clock, so it has no unit of "
					"time", c->name);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].unit, c->unit))
			continue;
		if (__builtin_mul_overflow(c->number, units[i].ns, ret))
			return model_text_error(&k->a->text, c->pos, "The time is longer than 64 bits of "
						"ns");
		return NULL;
	}
	return error_hint(model_text_error(&k->a->text, c->pos, "The length of a jiffy differs "
					   "between kernels"),
			  "Write a name instead, and bind it as a constant in ms");
}

static struct error *monitor_add_state(struct monitor_maker *k, const struct automaton_state *s)
{
	struct ktrace_machine_state row = { .clock = MACHINE_NO_CLOCK };
	const struct automaton_compare *c = s->invariant.items;
	uint64_t limit = 0;
	struct error *err;
	char *name;

	if (s->invariant.nr) {
		err = monitor_number(k, c, true, &limit);
		if (err)
			return err;
		row.clock = monitor_clock(k, c->name);
		row.limit = limit + (c->op == AUTOMATON_LE && limit < UINT64_MAX);
		if (!row.limit)
			return model_text_error(&k->a->text, c->pos, "No state can be left before it is "
						"entered");
	}
	name = strdup(s->name);
	return name && array_push(&k->m->states, name) && array_push(&k->states, row) ? NULL :
	       &error_no_memory;
}

/* Conditions that must hold together: the text of a filter, and the range of a clock. */
struct monitor_guard {
	struct strbuf filter;
	uint8_t clock;
	uint64_t least, most;
	bool never;
};

static void monitor_guard_deinit(struct monitor_guard *guard)
{
	strbuf_deinit(&guard->filter);
}
DEFINE_CLEANUP(monitor_guard, struct monitor_guard, monitor_guard_deinit)

static struct error *monitor_guard_clock(const struct monitor_maker *k,
					 const struct automaton_compare *c, struct monitor_guard *g)
{
	uint8_t clock = monitor_clock(k, c->name);
	uint64_t number, least = 0, most = UINT64_MAX;
	struct error *err = monitor_number(k, c, true, &number);

	if (err)
		return err;
	if (g->clock != MACHINE_NO_CLOCK && g->clock != clock)
		return model_text_error(&k->a->text, c->pos, "A condition compares one clock, unless || "
					"stands between");
	g->clock = clock;
	switch (c->op) {
	case AUTOMATON_LT:
		g->never |= !number;
		most = number - 1;
		break;
	case AUTOMATON_LE:
		most = number;
		break;
	case AUTOMATON_GT:
		g->never |= number == UINT64_MAX;
		least = number + 1;
		break;
	case AUTOMATON_GE:
		least = number;
		break;
	case AUTOMATON_EQ:
		least = most = number;
		break;
	case AUTOMATON_NE:
		return model_text_error(&k->a->text, c->pos, "A clock is compared by <, <=, >, >= or ==");
	}
	g->least = g->least > least ? g->least : least;
	g->most = g->most < most ? g->most : most;
	return NULL;
}

static bool monitor_holds(uint64_t value, enum automaton_op op, uint64_t number)
{
	switch (op) {
	case AUTOMATON_LT:
		return value < number;
	case AUTOMATON_LE:
		return value <= number;
	case AUTOMATON_GT:
		return value > number;
	case AUTOMATON_GE:
		return value >= number;
	case AUTOMATON_EQ:
		return value == number;
	default:
		return value != number;
	}
}

/*
 * An atom is 0 or 1.  A comparison thus requires its filter, the opposite of its filter, or
 * nothing.
 */
static struct error *monitor_guard_atom(const struct monitor_maker *k,
					const struct automaton_compare *c, struct monitor_guard *g)
{
	const struct binding_word *atom = binding_find(&k->b->atoms, c->name);
	uint64_t number;
	struct error *err;
	bool one, zero;

	if (!atom)
		return model_text_error(&k->a->text, c->pos, "%s does not define '%s', and no "
					"event resets it as a clock", k->b->text.path, c->name);
	err = monitor_number(k, c, false, &number);
	if (err)
		return err;
	one = monitor_holds(1, c->op, number);
	zero = monitor_holds(0, c->op, number);
	g->never |= !one && !zero;
	if (one != zero)
		strbuf_addf(&g->filter, "%s%s(%s)", g->filter.len ? " && " : "", one ? "" : "!",
			    atom->value);
	return NULL;
}

static struct error *monitor_add_transition(struct monitor_maker *k, const struct automaton_edge *e,
					    size_t source, const struct monitor_guard *g)
{
	struct ktrace_machine_transition row = {
		.state = e->from, .source = source, .next = e->to, .filter = MACHINE_NO_FILTER,
		.clock = g->clock, .least = g->least, .most = g->most,
		.resets = e->reset ? 1U << monitor_clock(k, e->reset) : 0,
	};
	uint32_t event = k->sources.items[source].source.event;
	struct error *err = NULL;

	if (g->filter.failed)
		return &error_no_memory;
	if (k->transitions.nr == MACHINE_TRANSITIONS_MAX)
		return error_new(E2BIG, "The machine has more than %d transitions",
				 MACHINE_TRANSITIONS_MAX);
	if (g->filter.len)
		err = monitor_add_filter(k, g->filter.data, k->m->events.items[event], &row.filter);
	if (err)
		return error_prefix(err, "%s: an atom of '%s'", k->b->text.path,
				    k->a->events.items[e->event]);
	return array_push(&k->transitions, row) ? NULL : &error_no_memory;
}

/* Add the comparisons from *at up to the next ||, and move *at behind them. */
static struct error *monitor_take_guard(const struct monitor_maker *k,
					const struct automaton_rule *rule, size_t *at,
					struct monitor_guard *g)
{
	struct error *err = NULL;
	bool more = true;

	while (!err && more && *at < rule->nr) {
		const struct automaton_compare *c = &rule->items[(*at)++];

		err = monitor_clock(k, c->name) != MACHINE_NO_CLOCK ? monitor_guard_clock(k, c, g) :
								      monitor_guard_atom(k, c, g);
		more = !c->or_next;
	}
	return err;
}

/*
 * As in rv, a condition with a clock that was never set holds as a whole, with any other
 * comparisons.
 */
static struct error *monitor_add_unset(struct monitor_maker *k, const struct automaton_edge *e,
				       size_t source)
{
	struct monitor_guard unset = { .filter = STRBUF_INIT, .least = 1, .most = 0 };
	struct error *err = NULL;

	for (size_t i = 0; !err && e->rule.nr > 1 && i < e->rule.nr; i++) {
		unset.clock = monitor_clock(k, e->rule.items[i].name);
		if (unset.clock != MACHINE_NO_CLOCK)
			err = monitor_add_transition(k, e, source, &unset);
	}
	return err;
}

static struct error *monitor_add_edge(struct monitor_maker *k, const struct automaton_edge *e,
				      size_t source)
{
	struct error *err = monitor_add_unset(k, e, source);
	size_t at = 0;

	if (err)
		return err;
	do {
		_cleanup_(monitor_guard) struct monitor_guard g = {
			.filter = STRBUF_INIT, .clock = MACHINE_NO_CLOCK, .most = UINT64_MAX,
		};

		err = monitor_take_guard(k, &e->rule, &at, &g);
		if (!err && !g.never)
			err = monitor_add_transition(k, e, source, &g);
	} while (!err && at < e->rule.nr);
	return err;
}

static struct error *monitor_add_transitions(struct monitor_maker *k)
{
	struct error *err = NULL;

	for (size_t state = 0; state < k->a->states.nr; state++)
		for (size_t source = 0; source < k->sources.nr; source++)
			for (size_t i = 0; !err && i < k->a->edges.nr; i++) {
				const struct automaton_edge *e = &k->a->edges.items[i];

				if (e->from == state &&
				    e->event == k->sources.items[source].automaton_event)
					err = monitor_add_edge(k, e, source);
			}
	return err;
}

/* Join the tables of rows into one program. */
static struct error *monitor_finish(struct monitor_maker *k)
{
	struct ktrace_machine head = {
		.nr_states = k->states.nr, .nr_sources = k->sources.nr,
		.nr_transitions = k->transitions.nr, .nr_filters = k->filters.nr,
		.nr_insns = k->insns.nr, .pool_bytes = k->pool.len, .key = k->b->key,
		.nr_parts = k->b->key == MACHINE_KEY_FIELDS ? k->b->nr_by :
			    k->b->key != MACHINE_KEY_NONE,
		.initial = k->a->initial, .nr_clocks = k->clocks.nr, .max_keys = MONITOR_KEYS,
	};
	char *p;

	if (k->pool.failed)
		return &error_no_memory;
	head.size = machine_size(&head);
	k->m->program = calloc(1, head.size);
	if (!k->m->program)
		return &error_no_memory;
	*k->m->program = head;
	p = (char *)(k->m->program + 1);
#define MONITOR_PUT(items, nr) \
	p = (nr) ? mempcpy(p, items, (nr) * sizeof(*(items))) : p
	MONITOR_PUT(k->states.items, k->states.nr);
	for (size_t i = 0; i < k->sources.nr; i++)
		MONITOR_PUT(&k->sources.items[i].source, 1);
	MONITOR_PUT(k->transitions.items, k->transitions.nr);
	MONITOR_PUT(k->filters.items, k->filters.nr);
	MONITOR_PUT(k->insns.items, k->insns.nr);
	MONITOR_PUT(k->pool.data, k->pool.len);
	if (!machine_verify(k->m->program, head.size, &k->m->view))
		return error_new(EINVAL, "%s and %s make a program that is not valid", k->a->text.path,
				 k->b->text.path);
	return NULL;
}

static struct error *monitor_check_limits(const struct automaton *a)
{
	if (a->states.nr > MACHINE_STATES_MAX)
		return error_new(E2BIG, "%s has %zu states, and a machine has %d at most", a->text.path,
				 a->states.nr, MACHINE_STATES_MAX);
	return NULL;
}

static struct error *monitor_make(struct monitor_maker *k, const char *name,
				  const struct monitor_formats *formats)
{
	struct error *err = monitor_check_limits(k->a);

	k->m->name = strdup(name);
	if (!err && !k->m->name)
		err = &error_no_memory;
	if (!err)
		err = monitor_add_sources(k, formats);
	if (!err)
		err = monitor_find_clocks(k);
	for (size_t i = 0; !err && i < k->a->states.nr; i++)
		err = monitor_add_state(k, &k->a->states.items[i]);
	if (!err)
		err = monitor_add_transitions(k);
	return err ? err : monitor_finish(k);
}

struct error *monitor_compile(const char *name, const struct automaton *a, const struct binding *b,
			      const struct monitor_formats *formats, struct monitor **ret)
{
	_cleanup_(strbuf) struct strbuf missing = STRBUF_INIT;
	_cleanup_(monitor) struct monitor *m = calloc(1, sizeof(*m));
	struct monitor_maker k = { .a = a, .b = b, .m = m, .pool = STRBUF_INIT };
	struct error *err;

	if (!m)
		return &error_no_memory;
	err = monitor_check_events(a, b);
	if (err)
		return err;
	monitor_add_missing(b, formats, &missing);
	if (missing.failed)
		return &error_no_memory;
	if (missing.len)
		return error_new(ENODATA, "The model %s does not run, because these are missing: %s", name,
				 missing.data);
	err = monitor_make(&k, name, formats);
	free(k.clocks.items);
	free(k.sources.items);
	free(k.states.items);
	free(k.transitions.items);
	free(k.filters.items);
	free(k.insns.items);
	strbuf_deinit(&k.pool);
	if (err)
		return err;
	*ret = take_ptr(m);
	return NULL;
}

void monitor_add_key(const struct monitor *m, const uint64_t *key, struct strbuf *out)
{
	const struct ktrace_machine *h = m->view.head;

	if (h->key == MACHINE_KEY_TASK && !key[0])
		strbuf_addf(out, "0/%" PRId64, (int64_t)key[1] - 1);
	for (uint32_t i = 0; i < h->nr_parts && (h->key != MACHINE_KEY_TASK || key[0]); i++)
		strbuf_addf(out, m->view.sources[0].parts[i].flags & KTRACE_FILTER_SIGNED ?
			    "%s%" PRId64 : "%s%" PRIu64, i ? "," : "", key[i]);
}
