// SPDX-License-Identifier: GPL-2.0
#include "machine/automaton.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void automaton_rule_deinit(struct automaton_rule *rule)
{
	for (size_t i = 0; i < rule->nr; i++) {
		free(rule->items[i].name);
		free(rule->items[i].constant);
	}
	free(rule->items);
}

void automaton_destroy(struct automaton *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->states.nr; i++) {
		free(a->states.items[i].name);
		automaton_rule_deinit(&a->states.items[i].invariant);
	}
	for (size_t i = 0; i < a->events.nr; i++)
		free(a->events.items[i]);
	for (size_t i = 0; i < a->edges.nr; i++) {
		automaton_rule_deinit(&a->edges.items[i].rule);
		free(a->edges.items[i].reset);
	}
	free(a->states.items);
	free(a->events.items);
	free(a->edges.items);
	model_text_deinit(&a->text);
	free(a);
}

const char *automaton_op_text(enum automaton_op op)
{
	static const char *const texts[] = {
		[AUTOMATON_LT] = "<", [AUTOMATON_LE] = "<=", [AUTOMATON_GT] = ">",
		[AUTOMATON_GE] = ">=", [AUTOMATON_EQ] = "==", [AUTOMATON_NE] = "!=",
	};

	return texts[op];
}

static void automaton_add_rule(const struct automaton_rule *rule, struct strbuf *out)
{
	for (size_t i = 0; i < rule->nr; i++) {
		const struct automaton_compare *c = &rule->items[i];

		strbuf_addf(out, "%s %s ", c->name, automaton_op_text(c->op));
		if (c->constant)
			strbuf_addstr(out, c->constant);
		else
			strbuf_addf(out, "%" PRIu64 "%s", c->number, c->unit);
		if (i + 1 < rule->nr)
			strbuf_addstr(out, c->or_next ? " || " : " && ");
	}
}

static void automaton_add_nodes(const struct automaton *a, struct strbuf *out)
{
	for (size_t i = 0; i < a->states.nr; i++)
		strbuf_addf(out, "\t{node [shape = %s] \"%s\"};\n",
			    a->states.items[i].is_final ? "doublecircle" : "circle",
			    a->states.items[i].name);
	strbuf_addf(out, "\t{node [shape = plaintext, style=invis, label=\"\"] \"__init_%s\"};\n",
		    a->states.items[a->initial].name);
}

/* All events that lead from one state to another one share an arrow. */
static void automaton_add_arrow(const struct automaton *a, size_t from, size_t to,
				struct strbuf *out)
{
	bool first = true;

	for (size_t i = 0; i < a->edges.nr; i++) {
		const struct automaton_edge *e = &a->edges.items[i];

		if (e->from != from || e->to != to)
			continue;
		if (first)
			strbuf_addf(out, "\t\"%s\" -> \"%s\" [ label = \"", a->states.items[from].name,
				    a->states.items[to].name);
		strbuf_addf(out, "%s%s", first ? "" : "\\n", a->events.items[e->event]);
		if (e->rule.nr)
			strbuf_addch(out, ';');
		automaton_add_rule(&e->rule, out);
		if (e->reset)
			strbuf_addf(out, ";reset(%s)", e->reset);
		first = false;
	}
	if (!first)
		strbuf_addstr(out, "\" ];\n");
}

void automaton_add_dot(const struct automaton *a, struct strbuf *out)
{
	const char *initial = a->states.items[a->initial].name;

	/*
	 * rvgen requires these groups of lines in this order, with the arrow of __init_ between
	 * them.
	 */
	strbuf_addstr(out, "digraph state_automaton {\n");
	automaton_add_nodes(a, out);
	strbuf_addf(out, "\t\"__init_%s\" -> \"%s\";\n", initial, initial);
	for (size_t i = 0; i < a->states.nr; i++) {
		const struct automaton_state *s = &a->states.items[i];

		strbuf_addf(out, "\t\"%s\" [label = \"%s%s", s->name, s->name,
			    s->invariant.nr ? "\\n" : "");
		automaton_add_rule(&s->invariant, out);
		strbuf_addf(out, "\"%s];\n", i == a->initial ? ", color = green3" : "");
		for (size_t to = 0; to < a->states.nr; to++)
			automaton_add_arrow(a, i, to, out);
	}
	strbuf_addf(out, "\t{ rank = min ;\n\t\t\"__init_%s\";\n\t\t\"%s\";\n\t}\n}\n", initial,
		    initial);
}
