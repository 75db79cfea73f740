/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Automata in the format of Linux's runtime verification (tools/verification/models): .dot files of
 * deterministic automata and of hybrid ones, which have clocks and conditions.
 *
 *	"__init_a" -> "a";				the initial state
 *	{node [shape = doublecircle] "a"};		a final state; ellipse is the same
 *	"a" [label = "a\nclk < 5ms"];			a must be left while this holds
 *	"a" -> "b" [ label = "ev;x == 1 && clk < LIMIT;reset(clk)\nother" ];
 *
 * An edge has one or several events.  Each event may have a condition and the reset of one clock.
 * In conditions, && binds tighter than ||, and there are no parentheses.  The binding defines the
 * names and constants (machine/binding.h).
 */
#ifndef KTRACE_MACHINE_AUTOMATON_H
#define KTRACE_MACHINE_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "machine/model_text.h"

enum automaton_op {
	AUTOMATON_LT, AUTOMATON_LE, AUTOMATON_GT, AUTOMATON_GE, AUTOMATON_EQ, AUTOMATON_NE,
};

/* "clk < 5ms" */
struct automaton_compare {
	char *name;		/* of a clock or an atom; owned */
	enum automaton_op op;
	char *constant;		/* "LIMIT", "LIMIT()"; NULL: number counts; owned */
	uint64_t number;
	char unit[3];		/* "ns", "us", "ms", "s", "j" or "" */
	size_t pos;		/* in the text */
	bool or_next;		/* || follows it, not && */
};

struct automaton_rule {
	struct automaton_compare *items;
	size_t nr, alloc;	/* 0: the rule always holds */
};

struct automaton_state {
	char *name;		/* owned */
	bool is_final;
	struct automaton_rule invariant;	/* one comparison at most */
	size_t pos;
};

struct automaton_edge {
	size_t from, to;	/* indexes of states */
	size_t event;
	struct automaton_rule rule;
	char *reset;		/* name of a clock; NULL: none; owned */
	size_t pos;		/* of the event in the text */
};

struct automaton {
	struct model_text text;
	ARRAY_OF(struct automaton_state) states;
	ARRAY_OF(char *) events;	/* names, owned */
	ARRAY_OF(struct automaton_edge) edges;
	size_t initial;
};

/* Parse a text; @path is for errors. */
struct error *automaton_parse(const char *path, const char *text, size_t len,
			      struct automaton **ret);
void automaton_destroy(struct automaton *automaton);
DEFINE_CLEANUP_PTR(automaton, struct automaton, automaton_destroy)

/*
 * Append the automaton as a .dot file. rvgen reads it, too, and parsing it gives the same
 * automaton.
 */
void automaton_add_dot(const struct automaton *automaton, struct strbuf *out);

/* "<" */
const char *automaton_op_text(enum automaton_op op);

#endif
