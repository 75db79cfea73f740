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

#define FUNCTIONS_BLACKLIST "/sys/kernel/debug/kprobes/blacklist"

/* Names of functions, sorted. */
struct function_names {
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

static void function_names_deinit(struct function_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->items[i]);
	free(names->items);
}

static void function_places_deinit(struct function_places *places)
{
	for (size_t i = 0; i < places->nr; i++)
		free(places->items[i].name);
	free(places->items);
}

DEFINE_CLEANUP(function_names, struct function_names, function_names_deinit)
DEFINE_CLEANUP(function_places, struct function_places, function_places_deinit)

static int functions_compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Read the names of a list that match: its first words, or with @last the last ones. */
static struct error *functions_read(const char *path, const char *glob, bool last,
				    struct function_names *ret)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t alloc = 0;

	while (file && getline(&line, &alloc, file) > 0) {
		char *word = last ? strrchr(line, '\t') : NULL, *copy;

		word = word ? word + 1 : line;
		word[strcspn(word, " \t\n+")] = '\0';
		if (fnmatch(glob, word, 0))
			continue;
		copy = strdup(word);
		if (!copy || !array_push(ret, copy)) {
			free(copy);
			return &error_no_memory;
		}
	}
	if (ret->nr)
		qsort(ret->items, ret->nr, sizeof(*ret->items), functions_compare_names);
	return NULL;
}

static bool functions_have(const struct function_names *names, const char *name)
{
	return names->nr && bsearch(&name, names->items, names->nr, sizeof(*names->items),
				    functions_compare_names);
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

static int functions_compare_places(const void *a, const void *b)
{
	const struct function_place *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->refused != y->refused ? x->refused - y->refused : strcmp(x->name, y->name);
}

/* Keep one name of each address: one that may be traced, if there is one. */
static void functions_keep_one(struct function_places *places)
{
	size_t kept = 0;

	if (places->nr)
		qsort(places->items, places->nr, sizeof(*places->items), functions_compare_places);
	for (size_t i = 0; i < places->nr; i++) {
		if (kept && places->items[kept - 1].address == places->items[i].address)
			free(places->items[i].name);
		else
			places->items[kept++] = places->items[i];
	}
	places->nr = kept;
}

/* Make the event of a function that the module does not record a probe. */
static struct error *functions_make_probe(const struct function_event *function, uint64_t *ret_id)
{
	static struct probe_events existing;
	static bool have_existing;
	_cleanup_(probe_events) struct probe_events events = { 0 };
	struct probe_event event = {
		.is_return = function->at_return, .group = strdup(FUNCTION_EVENTS_SYSTEM),
		.name = strdup(function->name), .symbol = strdup(function->function),
		.function = strdup(function->function),
	};
	struct error *err = NULL;

	if (!event.group || !event.name || !event.symbol || !event.function)
		err = &error_no_memory;
	if (!err && function->at_return)
		err = probe_event_add_arg(&event, "ret", "$retval", NULL);
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
	return err ? err : tracefs_event_id(FUNCTION_EVENTS_SYSTEM, events.items[0].name, ret_id);
}

/* Append both ends of a function. */
static struct error *functions_add(const struct function_place *place, bool from_glob,
				   struct event_specs *specs)
{
	const struct function_event *event;
	struct error *err = NULL;

	for (int at_return = 0; !err && at_return < 2; at_return++) {
		err = function_events_add(place->name, place->address, at_return, &event);
		if (!err)
			err = event_specs_add_number(specs, FUNCTION_EVENTS_SYSTEM, event->name,
						     event->number, from_glob);
	}
	return err;
}

/* Append those that may be traced; a single one in any case, so that its refusal is explained. */
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
	_cleanup_(function_names) struct function_names traceable = { 0 }, blacklist = { 0 };
	_cleanup_(function_places) struct function_places places = { .glob = glob };
	_cleanup_free_ char *path = NULL;
	struct error *err;
	const char *root;

	err = tracefs_path(&root);
	if (err)
		return err;
	if (asprintf(&path, "%s/available_filter_functions", root) < 0) {
		path = NULL;
		return &error_no_memory;
	}
	err = functions_read(path, glob, false, &traceable);
	if (!err)
		err = functions_read(FUNCTIONS_BLACKLIST, glob, true, &blacklist);
	if (!err)
		err = kernel_symbols(NULL, functions_add_place, &places);
	if (err || places.failed)
		return err ? err : &error_no_memory;
	for (size_t i = 0; i < places.nr; i++)
		places.items[i].refused = !functions_have(&traceable, places.items[i].name) ||
					  functions_have(&blacklist, places.items[i].name);
	functions_keep_one(&places);
	function_events_set_probe(functions_make_probe);
	specs->last_first = specs->nr;
	return functions_add_all(&places, strpbrk(glob, "*?["), specs);
}
