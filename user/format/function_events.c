// SPDX-License-Identifier: GPL-2.0
#include "format/function_events.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/function_args.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "lib/strbuf.h"

/* The largest number that samples have room for; tracefs counts from 1. */
#define FUNCTION_EVENTS_LAST	65535
/* The limit of probe names, less room for a suffix. */
#define FUNCTION_NAME_MAX	40

static struct {
	struct function_event **items;
	size_t nr, alloc;
	struct hash_table names;	/* positions in items */
	function_event_probe_fn make;
} function_events;

const struct function_event *function_events_find(uint64_t number)
{
	size_t i = FUNCTION_EVENTS_LAST - number;

	if (number > FUNCTION_EVENTS_LAST || i >= function_events.nr ||
	    function_events.items[i]->is_probe)
		return NULL;
	return function_events.items[i];
}

/* Find the event of this name, even if it has become a probe; NULL: there is none. */
static struct function_event *function_events_look_up(const char *system, const char *name)
{
	const struct hash_table *names = &function_events.names;

	hash_table_each(names, hash_key_text(name), n) {
		struct function_event *event = function_events.items[n];

		if (!strcmp(event->name, name) && !strcmp(event->system, system))
			return event;
	}
	return NULL;
}

const struct function_event *function_events_named(const char *system, const char *name)
{
	const struct function_event *event = function_events_look_up(system, name);

	return event && !event->is_probe ? event : NULL;
}

/* The name of the event, as for probes: without suffixes of the compiler. */
static char *function_event_name(const struct function_event *what)
{
	int len = strcspn(what->function, ".");
	char *name, *base;

	if (what->name)
		base = strdup(what->name);
	else if (asprintf(&base, "%.*s%s", len < FUNCTION_NAME_MAX ? len : FUNCTION_NAME_MAX,
			  what->function, what->at_return ? "__return" : "") < 0)
		base = NULL;
	for (char *c = base; c && *c; c++)
		*c = isalnum((unsigned char)*c) ? *c : '_';
	name = base ? strdup(base) : NULL;
	for (unsigned int n = 1; name && function_events_look_up(what->system, name); n++) {
		free(name);
		if (asprintf(&name, "%s_%u", base, n) < 0)
			name = NULL;
	}
	free(base);
	return name;
}

static bool function_arg_fetch(const struct function_event_arg *arg, struct function_arg *ret)
{
	const struct function_arg_type *type = function_arg_type_find(arg->type);

	return type && arg->name && function_arg_parse(arg->value, type, ret);
}

bool function_events_take(const struct function_event_arg *args, size_t nr)
{
	struct function_arg fetched;

	for (size_t i = 0; i < nr; i++)
		if (!function_arg_fetch(&args[i], &fetched))
			return false;
	return nr <= FUNCTION_ARGS_MAX;
}

static void function_event_destroy(struct function_event *event)
{
	for (size_t i = 0; i < event->nr_args; i++) {
		free(event->args[i].name);
		free(event->args[i].value);
		free(event->args[i].type);
	}
	free(event->args);
	free(event->fetched);
	free(event->name);
	free(event->function);
	free(event);
}

static bool function_event_copy_args(const struct function_event *what,
				     struct function_event *event)
{
	if (!what->nr_args)
		return true;
	event->args = calloc(what->nr_args, sizeof(*event->args));
	event->fetched = calloc(what->nr_args, sizeof(*event->fetched));
	if (!event->args || !event->fetched)
		return false;
	for (; event->nr_args < what->nr_args; event->nr_args++) {
		const struct function_event_arg *from = &what->args[event->nr_args];
		struct function_event_arg *to = &event->args[event->nr_args];

		function_arg_fetch(from, &event->fetched[event->nr_args]);
		*to = (struct function_event_arg){
			.name = strdup(from->name), .value = strdup(from->value),
			.type = from->type ? strdup(from->type) : NULL,
		};
		if (!to->name || !to->value || (from->type && !to->type)) {
			event->nr_args++;
			return false;
		}
	}
	return true;
}

struct error *function_events_add(const struct function_event *what,
				  const struct function_event **ret)
{
	struct function_event *event;

	if (function_events.nr == FUNCTION_EVENTS_MAX)
		return error_hint(error_new(E2BIG, "More than %d entries and returns of functions are "
					    "recorded", FUNCTION_EVENTS_MAX),
				  "Name fewer of them with a longer glob");
	event = calloc(1, sizeof(*event));
	if (!event)
		return &error_no_memory;
	*event = (struct function_event){
		.system = what->system,
		.name = function_event_name(what),
		.function = strdup(what->function),
		.address = what->address,
		.number = FUNCTION_EVENTS_LAST - function_events.nr,
		.at_return = what->at_return,
	};
	/* The event is only visible once the table has its position. */
	if (!event->name || !event->function || !function_event_copy_args(what, event) ||
	    !array_push(&function_events, event) ||
	    !hash_table_add(&function_events.names, hash_key_text(event->name),
			    --function_events.nr)) {
		function_event_destroy(event);
		return &error_no_memory;
	}
	function_events.nr++;
	*ret = event;
	return NULL;
}

/* Find the lines of the common fields in @format; *ret_size: their bytes, rounded up to a long. */
static bool common_lines(const char *format, const char **ret, size_t *ret_len, size_t *ret_size)
{
	const char *line = strstr(format, "\tfield:"), *end = line ? strstr(line, "\n\n") : NULL;
	unsigned int offset, size, most = 0;

	if (!end)
		return false;
	*ret = line;
	*ret_len = end + 1 - line;
	for (; line && line < end; line = strstr(line + 1, "\tfield:"))
		if (sscanf(line, "%*[^;];\toffset:%u;\tsize:%u", &offset, &size) == 2 &&
		    offset + size > most)
			most = offset + size;
	*ret_size = (most + 7) / 8 * 8;
	return true;
}

static size_t function_event_add_field(struct strbuf *out, const struct function_arg_type *type,
				       const char *name, size_t offset)
{
	strbuf_addf(out, "\tfield:%s %s;\toffset:%zu;\tsize:%u;\tsigned:%d;\n", type->field, name,
		    offset, type->size, type->is_signed);
	return offset + type->size;
}

/* Append the lines of the fields behind the common ones, from offset @at on. */
static void function_event_add_fields(const struct function_event *event, size_t at,
				      struct strbuf *out)
{
	static const struct function_arg_type address = { .field = "unsigned long", .size = 8 };

	if (event->at_return) {
		at = function_event_add_field(out, &address, "__probe_func", at);
		at = function_event_add_field(out, &address, "__probe_ret_ip", at);
	} else {
		at = function_event_add_field(out, &address, "__probe_ip", at);
	}
	if (event->at_return && !event->nr_args)
		function_event_add_field(out, function_arg_type_find(NULL), "ret", at);
	for (size_t i = 0; i < event->nr_args; i++)
		at = function_event_add_field(out, function_arg_type_find(event->args[i].type),
					      event->args[i].name, at);
}

static void function_event_add_print(const struct function_event *event, struct strbuf *out)
{
	const bool has_ret = event->at_return && !event->nr_args;

	strbuf_addf(out, "\nprint fmt: \"%s%s", event->at_return ? "(%lx <- %lx)" : "(%lx)",
		    has_ret ? " ret=0x%Lx" : "");
	for (size_t i = 0; i < event->nr_args; i++)
		strbuf_addf(out, " %s=%s", event->args[i].name,
			    function_arg_type_find(event->args[i].type)->print);
	strbuf_addf(out, "\", %s%s", event->at_return ? "REC->__probe_func, REC->__probe_ret_ip" :
		    "REC->__probe_ip", has_ret ? ", REC->ret" : "");
	for (size_t i = 0; i < event->nr_args; i++)
		strbuf_addf(out, ", REC->%s", event->args[i].name);
	strbuf_addch(out, '\n');
}

struct error *function_event_format(const struct function_event *event, const char *model,
				    char **ret, size_t *ret_len)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t len, size;
	const char *lines;

	if (!common_lines(model, &lines, &len, &size))
		return error_new(EBADMSG, "The format of " FUNCTION_MODEL_SYSTEM ":"
				 FUNCTION_MODEL_NAME " has no common fields");
	strbuf_addf(&text, "name: %s\nID: %llu\nformat:\n%.*s\n", event->name,
		    (unsigned long long)event->number, (int)len, lines);
	function_event_add_fields(event, size, &text);
	function_event_add_print(event, &text);
	*ret = text.failed ? NULL : strdup(text.data);
	*ret_len = text.len;
	return *ret ? NULL : &error_no_memory;
}

void function_events_set_probe(function_event_probe_fn make)
{
	function_events.make = make;
}

struct error *function_event_make_probe(const struct function_event *event, uint64_t *ret_id)
{
	struct function_event *own = function_events.items[FUNCTION_EVENTS_LAST - event->number];
	struct error *err;

	own->is_probe = true;
	err = function_events.make(event, ret_id);
	own->is_probe = !err;
	return err;
}
