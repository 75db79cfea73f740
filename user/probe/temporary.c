// SPDX-License-Identifier: GPL-2.0
#include "probe/temporary.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/log.h"
#include "probe/functions.h"
#include "probe/guardian.h"
#include "probe/make.h"
#include "probe/store.h"
#include "spec/caret.h"
#include "terminal/progress.h"

/* The largest number of functions that a glob may match. */
#define TEMPORARY_MAX 4096

struct temporary {
	const char *text;	/* all of it, with the letter in front */
	char group[2];		/* that letter */
	char *binary;		/* of u: the program; of k: the module, or NULL */
	const char *definition;
};

/* Split "FILE:DEFINITION"; the file is the shortest one that exists. */
static struct error *temporary_split_file(struct temporary *t)
{
	const char *colon = strchr(t->definition, ':');

	for (; colon; colon = strchr(colon + 1, ':')) {
		_cleanup_free_ char *path = strndup(t->definition, colon - t->definition);

		if (!path)
			return &error_no_memory;
		if (access(path, F_OK) && (strchr(path, '/') || strchr(colon + 1, ':')))
			continue;
		t->binary = take_ptr(path);
		t->definition = colon + 1;
		return NULL;
	}
	return error_hint(caret_error(t->text, 2, "A program and a function are expected, and there is "
				      "no such program"), "As in u:./prog:main(argc)");
}

/* Split "MODULE:DEFINITION"; the ':' behind a function is followed by a number. */
static struct error *temporary_split_module(struct temporary *t)
{
	size_t len = strcspn(t->definition, ":(=@;");

	if (t->definition[len] != ':' || isdigit((unsigned char)t->definition[len + 1]))
		return NULL;
	t->binary = strndup(t->definition, len);
	t->definition += len + 1;
	return t->binary ? NULL : &error_no_memory;
}

/* Add an event.  With @refused a refusal is reported there; else it is an error. */
static struct error *temporary_add(struct probe_event *event, bool *refused)
{
	const struct probe_events one = { event, 1, 1 };
	struct error *err = guardian_watch(event);

	if (err)
		return err;
	return refused ? probe_store_offer(event, refused) : probe_store_add(&one);
}

static bool temporary_is_repeated(const struct probe_events *events, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(events->items[i].name, events->items[index].name) &&
		    !strcmp(events->items[i].group, events->items[index].group))
			return true;
	return false;
}

static struct error *temporary_add_one(const struct probe_events *events, size_t index,
				       bool is_glob, bool *refused, struct strbuf *ret)
{
	struct probe_event *event = &events->items[index];
	struct error *err = guardian_start();

	if (!err)
		err = temporary_add(event, is_glob ? refused : NULL);
	if (!err && !(is_glob && *refused) && !temporary_is_repeated(events, index))
		strbuf_addf(ret, "%s%s:%s", ret->len ? "," : "", event->group, event->name);
	return err;
}

/*
 * Add the events that the module does not record; those of a glob only if the kernel accepts them.
 */
static struct error *temporary_add_all(const struct probe_events *events, bool is_glob,
				       const enum function_fate *fates, struct strbuf *ret)
{
	size_t nr_refused = 0;
	bool again;

	progress_begin_count("Adding probes", events->nr);
	for (size_t i = 0; i < events->nr; i++) {
		bool refused = is_glob && fates[i] == FUNCTION_REFUSED;
		struct error *err = NULL;

		if (!refused && fates[i] != FUNCTION_TAKEN)
			err = temporary_add_one(events, i, is_glob, &refused, ret);
		progress_advance(1);
		if (err) {
			progress_end();
			return err;
		}
		nr_refused += refused;
	}
	progress_end();
	/* Then the kernel's reason is reported. */
	if (nr_refused && nr_refused == events->nr)
		return temporary_add_one(events, 0, false, &again, ret);
	if (nr_refused)
		log_notice("%zu of %zu probes were refused by the kernel: their functions must not be "
			   "traced.", nr_refused, events->nr);
	return NULL;
}

static struct error *temporary_make(const struct temporary *t, const char *text,
				    struct probe_events *events)
{
	const struct probe_make_options options = {
		.places.max = TEMPORARY_MAX, .group = t->group,
	};
	const bool is_user = *t->group == 'u';
	const struct probe_binary_options what = {
		.program = is_user ? t->binary : NULL, .module = is_user ? NULL : t->binary,
	};
	_cleanup_(probe_definition) struct probe_definition definition = { 0 };
	_cleanup_(probe_binary) struct probe_binary binary = { 0 };
	struct error *err = probe_definition_parse_call(text, &definition);

	if (!err)
		err = probe_binary_open(&what, &binary);
	return err ? err : probe_make(&binary, &definition, &options, events);
}

/* Create the events of f: both ends of each function. */
static struct error *temporary_make_functions(const struct temporary *t,
					      struct probe_events *events)
{
	_cleanup_free_ char *end = NULL;
	size_t len = strcspn(t->definition, "( \t");
	struct error *err;

	if (strpbrk(t->definition, "+%:;@") && strpbrk(t->definition, "+%:;@") < t->definition + len)
		return caret_error(t->text, 2 + strcspn(t->definition, "+%:;@"), "f: takes functions, "
				   "without a place in them");
	if (asprintf(&end, "%.*s%%return(ret=$retval)", (int)len, t->definition) < 0) {
		end = NULL;
		return &error_no_memory;
	}
	err = temporary_make(t, t->definition, events);
	return err ? err : temporary_make(t, end, events);
}

static struct error *temporary_parse(struct temporary *t)
{
	if (*t->group == 'u')
		return temporary_split_file(t);
	return *t->group == 'k' ? temporary_split_module(t) : NULL;
}

static struct error *temporary_make_all(const char *text, struct probe_events *events)
{
	struct temporary t = { .text = text, .group = { *text }, .definition = text + 2 };
	struct error *err = temporary_parse(&t);

	if (!err)
		err = *t.group == 'f' ? temporary_make_functions(&t, events) :
					temporary_make(&t, t.definition, events);
	free(t.binary);
	return err;
}

struct error *probe_temporary(const char *text, struct event_specs *specs, struct strbuf *ret)
{
	_cleanup_(probe_events) struct probe_events events = { 0 }, existing = { 0 };
	const bool is_glob = strpbrk(text, "*?[");
	_cleanup_free_ enum function_fate *fates = NULL;
	struct error *err = temporary_make_all(text, &events);

	if (!err)
		err = probe_store_read(&existing);
	if (!err)
		err = probe_store_name(&existing, &events, 0, true);
	if (err)
		return err;
	fates = calloc(events.nr + 1, sizeof(*fates));
	if (!fates)
		return &error_no_memory;
	if (specs)
		err = probe_functions_take(&events, is_glob, specs, fates);
	if (!err)
		err = temporary_add_all(&events, is_glob, fates, ret);
	return err ? err : ret->failed ? &error_no_memory : NULL;
}

void probe_temporary_end(void)
{
	guardian_finish();
}
