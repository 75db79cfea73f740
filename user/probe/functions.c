// SPDX-License-Identifier: GPL-2.0
#include "probe/functions.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/function_events.h"
#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "probe/guardian.h"
#include "probe/kernel_symbols.h"
#include "probe/store.h"

/* The code of x86-64's kernel itself is this near to its start, and modules are behind it. */
#define FUNCTIONS_KERNEL_SIZE (1ULL << 28)
#define FUNCTIONS_BLACKLIST "/sys/kernel/debug/kprobes/blacklist"

/* Names of functions that match, sorted. */
struct function_names {
	const char *glob;
	char **items;
	size_t nr, alloc;
};

struct function_places {
	const char *glob;
	struct function_place {
		char *name;
		uint64_t address;
		bool refused;	/* it must not be traced */
	} *items;
	size_t nr, alloc;
	bool failed;
};

/* An event whose function the module might record. */
struct function_candidate {
	size_t index;			/* of the event */
	const char *name;
	uint64_t address;		/* 0: not known yet */
	unsigned int nr_addresses;	/* that its name has */
	bool is_entry;			/* a function of this name begins there */
	bool traceable, blacklisted;
};

struct function_candidates {
	struct function_candidate *items;
	size_t nr, alloc;
};

static void function_candidates_deinit(struct function_candidates *candidates)
{
	free(candidates->items);
}

static void function_names_deinit(struct function_names *names)
{
	array_free_each(names);
}

static void function_places_deinit(struct function_places *places)
{
	array_free_each(places, .name);
}

DEFINE_CLEANUP(function_names, struct function_names, function_names_deinit)
DEFINE_CLEANUP(function_candidates, struct function_candidates, function_candidates_deinit)
DEFINE_CLEANUP(function_places, struct function_places, function_places_deinit)

typedef bool (*function_name_fn)(void *context, const char *name);

/*
 * Call @take for the first word of each line of a list, or with @last for the last one.  It may
 * return false only if memory is out.  *@ret (may be NULL): whether the list exists.
 */
static struct error *functions_each_name(const char *path, bool last, function_name_fn take,
					 void *context, bool *ret)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t alloc = 0;

	if (ret)
		*ret = file;
	while (file && getline(&line, &alloc, file) > 0) {
		char *word = last ? strrchr(line, '\t') : NULL;

		word = word ? word + 1 : line;
		word[strcspn(word, " \t\n+")] = '\0';
		if (!take(context, word))
			return &error_no_memory;
	}
	return NULL;
}

static bool functions_add_name(void *context, const char *name)
{
	struct function_names *names = context;
	char *copy;

	if (fnmatch(names->glob, name, 0))
		return true;
	copy = strdup(name);
	if (copy && array_push(names, copy))
		return true;
	free(copy);
	return false;
}

static void functions_sort_names(struct function_names *names)
{
	array_sort(names, array_compare_texts);
}

static bool functions_have(const struct function_names *names, const char *name)
{
	return names->nr && bsearch(&name, names->items, names->nr, sizeof(*names->items),
				    array_compare_texts);
}

static bool functions_add_place(void *context, const char *name, uint64_t address)
{
	struct function_places *places = context;
	struct function_place place = { .address = address };

	if (!address || fnmatch(places->glob, name, 0))
		return true;
	place.name = strdup(name);
	if (place.name && array_push(places, place))
		return true;
	free(place.name);
	places->failed = true;
	return false;
}

DEFINE_COMPARISON(functions_compare_places, struct function_place,
		  array_order(x->address, y->address) ?: x->refused - y->refused ?:
		  strcmp(x->name, y->name))

/* Keep one name of each address: one that may be traced, if there is one. */
static void functions_keep_one(struct function_places *places)
{
	size_t kept = 0;

	array_sort(places, functions_compare_places);
	for (size_t i = 0; i < places->nr; i++) {
		if (kept && places->items[kept - 1].address == places->items[i].address)
			free(places->items[i].name);
		else
			places->items[kept++] = places->items[i];
	}
	places->nr = kept;
}

/* Create a probe for the event of a function that the module does not record. */
static struct error *functions_make_probe(const struct function_event *function, uint64_t *ret_id)
{
	static struct probe_events existing;
	static bool have_existing;
	_cleanup_(probe_events) struct probe_events events = { 0 };
	struct probe_event event = {
		.is_return = function->at_return, .group = strdup(function->system),
		.name = strdup(function->name), .symbol = strdup(function->function),
		.function = strdup(function->function),
	};
	const uint64_t start = kernel_symbols_start();
	struct error *err = NULL;

	/* Several functions may have one name. */
	if (start && function->address >= start &&
	    function->address - start < FUNCTIONS_KERNEL_SIZE) {
		free(event.symbol);
		event.symbol = strdup("_text");
		event.offset = function->address - start;
	}
	if (!event.group || !event.name || !event.symbol || !event.function)
		err = &error_no_memory;
	if (!err && function->at_return && !function->nr_args)
		err = probe_event_add_arg(&event, "ret", "$retval", NULL);
	for (size_t i = 0; !err && i < function->nr_args; i++)
		err = probe_event_add_arg(&event, function->args[i].name, function->args[i].value,
					  function->args[i].type);
	if (err || !array_push(&events, event)) {
		probe_event_deinit(&event);
		return err ? err : &error_no_memory;
	}
	if (!have_existing)
		err = probe_store_read(&existing);
	have_existing = !err;
	if (!err)
		err = probe_store_name(&existing, &events, 0, true);
	if (!err)
		err = guardian_start();
	if (!err)
		err = guardian_watch(&events.items[0]);
	if (!err)
		err = probe_store_add(&events);
	return err ? err : tracefs_event_id(function->system, events.items[0].name, ret_id);
}

/* Append both ends of a function. */
static struct error *functions_add(const struct function_place *place, bool from_glob,
				   struct event_specs *specs)
{
	const struct function_event *event;
	struct error *err = NULL;

	for (int at_return = 0; !err && at_return < 2; at_return++) {
		const struct function_event what = {
			.system = FUNCTION_EVENTS_SYSTEM, .function = place->name,
			.address = place->address, .at_return = at_return,
		};

		err = function_events_add(&what, &event);
		if (!err)
			err = event_specs_add_number(specs, FUNCTION_EVENTS_SYSTEM, event->name,
						     event->number, from_glob);
	}
	return err;
}

/* Append the traceable ones.  A single one is always appended, so that its refusal is explained. */
static struct error *functions_add_all(const struct function_places *places, bool is_glob,
				       struct event_specs *specs)
{
	struct error *err = NULL;
	size_t refused = 0;

	for (size_t i = 0; !err && i < places->nr; i++) {
		if (is_glob && places->items[i].refused)
			refused++;
		else
			err = functions_add(&places->items[i], is_glob, specs);
	}
	if (!err && refused && specs->nr > specs->last_first)
		log_notice("%zu of %zu functions are left out, because they must not be traced.",
			   refused, places->nr);
	return err;
}

struct error *probe_functions(const char *glob, struct event_specs *specs)
{
	_cleanup_(function_names) struct function_names traceable = { .glob = glob };
	_cleanup_(function_names) struct function_names blacklist = { .glob = glob };
	_cleanup_(function_places) struct function_places places = { .glob = glob };
	_cleanup_free_ char *path = NULL;
	struct error *err;

	err = probe_store_path("available_filter_functions", &path);
	if (!err)
		err = functions_each_name(path, false, functions_add_name, &traceable, NULL);
	if (!err)
		err = functions_each_name(FUNCTIONS_BLACKLIST, true, functions_add_name, &blacklist,
					  NULL);
	if (!err)
		err = kernel_symbols(NULL, functions_add_place, &places);
	if (err || places.failed)
		return err ? err : &error_no_memory;
	functions_sort_names(&traceable);
	functions_sort_names(&blacklist);
	for (size_t i = 0; i < places.nr; i++)
		places.items[i].refused = !functions_have(&traceable, places.items[i].name) ||
					  functions_have(&blacklist, places.items[i].name);
	functions_keep_one(&places);
	function_events_set_probe(functions_make_probe);
	specs->last_first = specs->nr;
	return functions_add_all(&places, strpbrk(glob, "*?["), specs);
}

DEFINE_COMPARISON(functions_compare_candidates, struct function_candidate,
		  strcmp(x->name, y->name) ?: array_order(x->index, y->index))

DEFINE_COMPARISON(functions_compare_indexes, struct function_candidate,
		  array_order(x->index, y->index))

/* The first candidate of this name, or NULL. */
static struct function_candidate *functions_first_candidate(struct function_candidates *candidates,
							    const char *name)
{
	size_t nr = array_count_while(candidates->nr, i,
				      strcmp(candidates->items[i].name, name) < 0);

	return nr < candidates->nr && !strcmp(candidates->items[nr].name, name) ?
		&candidates->items[nr] : NULL;
}

/* All candidates of a name, one after another. */
#define functions_each_candidate(candidates, name_, c)						\
	for (c = functions_first_candidate(candidates, name_);					\
	     c && c < (candidates)->items + (candidates)->nr && !strcmp(c->name, name_); c++)

static bool functions_see_symbol(void *context, const char *name, uint64_t address)
{
	struct function_candidates *candidates = context;
	struct function_candidate *c;

	functions_each_candidate(candidates, name, c) {
		c->nr_addresses++;
		if (!c->address || c->address == address)
			c->is_entry = true;
		if (!c->address)
			c->address = address;
	}
	return true;
}

static bool functions_see_traceable(void *context, const char *name)
{
	struct function_candidates *candidates = context;
	struct function_candidate *c;

	functions_each_candidate(candidates, name, c)
		c->traceable = true;
	return true;
}

static bool functions_see_blacklisted(void *context, const char *name)
{
	struct function_candidates *candidates = context;
	struct function_candidate *c;

	functions_each_candidate(candidates, name, c)
		c->blacklisted = true;
	return true;
}

/* Several events of one name are the locations of one event, which only tracefs supports. */
static bool functions_name_is_shared(const struct probe_events *events, size_t index)
{
	const struct probe_event *event = &events->items[index];

	/* probe_make() appends the locations of one definition in sequence. */
	return (index && !strcmp(event[-1].name, event->name)) ||
	       (index + 1 < events->nr && !strcmp(event[1].name, event->name));
}

static struct function_event_arg *functions_args(const struct probe_event *event)
{
	struct function_event_arg *args = calloc(event->args.nr + 1, sizeof(*args));

	for (size_t i = 0; args && i < event->args.nr; i++)
		args[i] = (struct function_event_arg){
			event->args.items[i].name, event->args.items[i].value,
			event->args.items[i].type,
		};
	return args;
}

static struct error *functions_add_candidate(const struct probe_events *events, size_t index,
					     uint64_t start, struct function_candidates *candidates)
{
	const struct probe_event *event = &events->items[index];
	struct function_candidate candidate = { .index = index, .name = event->function };
	_cleanup_free_ struct function_event_arg *args = functions_args(event);

	if (!args)
		return &error_no_memory;
	if (event->is_user || !event->function || (event->is_return && !event->args.nr) ||
	    functions_name_is_shared(events, index) || !function_events_take(args, event->args.nr))
		return NULL;
	if (!event->binary && start && !strcmp(event->symbol, "_text"))
		candidate.address = start + event->offset;
	else if (strcmp(event->symbol, event->function) || event->offset)
		return NULL;
	return array_push(candidates, candidate) ? NULL : &error_no_memory;
}

static struct error *functions_take(const struct probe_event *event, uint64_t address,
				    bool from_glob, struct event_specs *specs)
{
	_cleanup_free_ struct function_event_arg *args = functions_args(event);
	/* As the groups of record -e are called, which outlive the event. */
	const struct function_event what = {
		.system = *event->group == 'k' ? "k" : FUNCTION_EVENTS_SYSTEM,
		.name = event->name, .function = event->function, .address = address,
		.at_return = event->is_return, .args = args, .nr_args = event->args.nr,
	};
	const struct function_event *added;
	struct error *err;

	if (!args)
		return &error_no_memory;
	err = function_events_add(&what, &added);
	return err ? err : event_specs_add_number(specs, added->system, added->name, added->number,
						  from_glob);
}

/* Find out where the candidates are, and which of them may be traced. */
static struct error *functions_look_at(struct function_candidates *candidates, const char *module)
{
	_cleanup_free_ char *path = NULL;
	struct error *err;
	bool known = false;

	array_sort(candidates, functions_compare_candidates);
	err = probe_store_path("available_filter_functions", &path);
	if (!err)
		err = functions_each_name(path, false, functions_see_traceable, candidates, &known);
	if (!err)
		err = functions_each_name(FUNCTIONS_BLACKLIST, true, functions_see_blacklisted,
					  candidates, NULL);
	/*
	 * Without the list the traceable functions are unknown, and the kernel decides about
	 * probes.
	 */
	return err || !known ? err : kernel_symbols(module, functions_see_symbol, candidates);
}

struct error *probe_functions_take(const struct probe_events *events, bool from_glob,
				   struct event_specs *specs, enum function_fate *fates)
{
	_cleanup_(function_candidates) struct function_candidates candidates = { 0 };
	const uint64_t start = kernel_symbols_start();
	struct error *err = NULL;

	for (size_t i = 0; !err && i < events->nr; i++) {
		fates[i] = FUNCTION_IS_PROBE;
		err = functions_add_candidate(events, i, start, &candidates);
	}
	if (err || !candidates.nr)
		return err;
	err = functions_look_at(&candidates, events->items[0].binary);
	for (size_t i = 0; !err && i < candidates.nr; i++) {
		const struct function_candidate *c = &candidates.items[i];

		/* The module needs addresses, which the kernel may hide even from root. */
		if (c->address && c->is_entry &&
		    (c->nr_addresses == 1 || !events->items[c->index].binary))
			fates[c->index] = c->traceable && !c->blacklisted ? FUNCTION_TAKEN :
									    FUNCTION_REFUSED;
	}
	if (err)
		return err;
	function_events_set_probe(functions_make_probe);
	array_sort(&candidates, functions_compare_indexes);
	for (size_t i = 0; !err && i < candidates.nr; i++)
		if (fates[candidates.items[i].index] == FUNCTION_TAKEN)
			err = functions_take(&events->items[candidates.items[i].index],
					     candidates.items[i].address, from_glob, specs);
	return err;
}
