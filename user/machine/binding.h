/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bindings map the names in an automaton to tracepoints.  A binding is a text of lines; # begins a
 * comment:
 *
 *	description TEXT
 *	key task | cpu | none | fields
 *	event NAME = SYSTEM:EVENT [by FIELD[,FIELD...]] [starts after | starts before] [if FILTER]
 *	atom NAME = FILTER
 *	constant NAME = NUMBER[ns|us|ms|s]
 *	lacks NAME because TEXT
 *
 * An event of the automaton may have several lines, also with the same tracepoint.  A firing is
 * applied to every line whose filter accepts it, in the order of the lines.
 *
 * key and by
 *	The owner of a state: each task, each CPU, each combination of values of fields, or
 *	everything together. Without "by", it is the task that fires the event, or the CPU it
 *	fires on. Both are fields, too: _tid and _cpu, and _pid is the process.
 * starts
 *	How an unknown key becomes known. "after": the key is in the initial state after this
 *	event, and the event itself is not judged. "before": the key is in the initial state
 *	before this event, and the event is judged.
 * if, atom
 *	Filters as for --filter of `ktrace record`.  An atom is 1 if its filter accepts the
 *	event's record, else 0.
 * constant
 *	The value of a name in conditions. NAME() is a name, too.
 * lacks
 *	The automaton needs this, and no event shows it: the model does not run.
 */
#ifndef KTRACE_MACHINE_BINDING_H
#define KTRACE_MACHINE_BINDING_H

#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "machine/model_text.h"
#include "machine/program.h"

struct binding_event {
	char *name;		/* in the automaton; owned */
	char *system, *event;	/* the tracepoint; owned */
	char *by[MACHINE_PARTS_MAX];	/* fields; owned */
	size_t nr_by;
	enum machine_start start;
	char *filter;		/* NULL: all firings; owned */
	size_t pos, event_pos, by_pos, filter_pos;	/* in the text */
};

struct binding_word {
	char *name, *value;	/* owned */
	uint64_t number;	/* of a constant */
	size_t pos, value_pos;
};

struct binding_words { struct binding_word *items; size_t nr, alloc; };

struct binding {
	struct model_text text;
	char *description;	/* NULL: none; owned */
	enum machine_key key;
	size_t nr_by;		/* MACHINE_KEY_FIELDS: number of fields of each event */
	ARRAY_OF(struct binding_event) events;
	struct binding_words atoms, constants, lacks;
};

/* Parse a text; @path is for errors. */
struct error *binding_parse(const char *path, const char *text, size_t len, struct binding **ret);
void binding_destroy(struct binding *binding);
DEFINE_CLEANUP_PTR(binding, struct binding, binding_destroy)

/* NULL: there is none of that name. */
const struct binding_word *binding_find(const struct binding_words *words, const char *name);

#endif
