// SPDX-License-Identifier: GPL-2.0
#include "format/function_events.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "lib/strbuf.h"

/* The largest number that samples have room for; tracefs counts from 1. */
#define FUNCTION_EVENTS_LAST	65535
#define FUNCTION_EVENTS_MAX	8192
/* An event whose common fields are those of all events. */
#define COMMON_SYSTEM	"sched"
#define COMMON_NAME	"sched_switch"
/* As long as names of probes can be, with room for what comes behind them. */
#define FUNCTION_NAME_MAX	40

static struct {
	struct function_event **items;
	size_t nr, alloc;
	struct hash_table names;	/* positions in items */
	char *common;		/* lines of the common fields; NULL: not read yet */
	size_t common_size;
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

/* Return the event of this name, also one that is a probe now; or NULL. */
static struct function_event *function_events_look_up(const char *name)
{
	const struct hash_table *names = &function_events.names;
	size_t at;

	for (bool more = hash_table_first(names, hash_key_text(name), &at); more;
	     more = hash_table_next(names, &at)) {
		struct function_event *event = function_events.items[hash_table_value(names, at)];

		if (!strcmp(event->name, name))
			return event;
	}
	return NULL;
}

const struct function_event *function_events_named(const char *system, const char *name)
{
	const struct function_event *event;

	if (strcmp(system, FUNCTION_EVENTS_SYSTEM))
		return NULL;
	event = function_events_look_up(name);
	return event && !event->is_probe ? event : NULL;
}

/* The name of the event, as probes get it: without what compilers append. */
static char *function_event_name(const char *function, bool at_return)
{
	int len = strcspn(function, ".");
	char *name, *base;

	if (asprintf(&base, "%.*s%s", len < FUNCTION_NAME_MAX ? len : FUNCTION_NAME_MAX, function,
		     at_return ? "__return" : "") < 0)
		return NULL;
	for (char *c = base; *c; c++)
		*c = isalnum((unsigned char)*c) ? *c : '_';
	name = strdup(base);
	for (unsigned int n = 1; name && function_events_look_up(name); n++) {
		free(name);
		if (asprintf(&name, "%s_%u", base, n) < 0)
			name = NULL;
	}
	free(base);
	return name;
}

struct error *function_events_add(const char *function, uint64_t address, bool at_return,
				  const struct function_event **ret)
{
	struct function_event *event;

	if (function_events.nr == FUNCTION_EVENTS_MAX)
		return error_hint(error_new(E2BIG, "f: stands for more than %d functions",
					    FUNCTION_EVENTS_MAX / 2),
				  "Name fewer of them with a longer glob");
	event = calloc(1, sizeof(*event));
	if (!event)
		return &error_no_memory;
	*event = (struct function_event){
		.name = function_event_name(function, at_return),
		.function = strdup(function),
		.address = address,
		.number = FUNCTION_EVENTS_LAST - function_events.nr,
		.at_return = at_return,
	};
	/* The item counts once the table has its position. */
	if (!event->name || !event->function || !array_push(&function_events, event) ||
	    !hash_table_add(&function_events.names, hash_key_text(event->name),
			    --function_events.nr)) {
		free(event->name);
		free(event->function);
		free(event);
		return &error_no_memory;
	}
	function_events.nr++;
	*ret = event;
	return NULL;
}

/* Read the lines of the common fields, once.  common_size: the bytes up to the next long. */
static struct error *function_events_read_common(void)
{
	_cleanup_free_ char *text = NULL;
	unsigned int offset, size, most = 0;
	struct error *err;
	char *line, *end;
	size_t len;

	if (function_events.common)
		return NULL;
	err = tracefs_event_format(COMMON_SYSTEM, COMMON_NAME, &text, &len);
	if (err)
		return err;
	line = strstr(text, "\tfield:");
	end = line ? strstr(line, "\n\n") : NULL;
	if (!end)
		return error_new(EBADMSG, "The format of " COMMON_SYSTEM ":" COMMON_NAME " has no "
				 "common fields");
	function_events.common = strndup(line, end + 1 - line);
	if (!function_events.common)
		return &error_no_memory;
	for (; line && line < end; line = strstr(line + 1, "\tfield:"))
		if (sscanf(line, "%*[^;];\toffset:%u;\tsize:%u", &offset, &size) == 2 &&
		    offset + size > most)
			most = offset + size;
	function_events.common_size = (most + 7) / 8 * 8;
	return NULL;
}

static void function_event_add_field(struct strbuf *out, const char *type, const char *name,
				     size_t offset)
{
	strbuf_addf(out, "\tfield:%s %s;\toffset:%zu;\tsize:8;\tsigned:0;\n", type, name, offset);
}

struct error *function_event_format(const struct function_event *event, char **ret,
				    size_t *ret_len)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err;
	size_t at;

	err = function_events_read_common();
	if (err)
		return err;
	at = function_events.common_size;
	strbuf_addf(&text, "name: %s\nID: %llu\nformat:\n%s\n", event->name,
		    (unsigned long long)event->number, function_events.common);
	if (event->at_return) {
		function_event_add_field(&text, "unsigned long", "__probe_func", at);
		function_event_add_field(&text, "unsigned long", "__probe_ret_ip", at + 8);
		function_event_add_field(&text, "u64", "ret", at + 16);
		strbuf_addstr(&text, "\nprint fmt: \"(%lx <- %lx) ret=0x%Lx\", REC->__probe_func, "
			      "REC->__probe_ret_ip, REC->ret\n");
	} else {
		function_event_add_field(&text, "unsigned long", "__probe_ip", at);
		strbuf_addstr(&text, "\nprint fmt: \"(%lx)\", REC->__probe_ip\n");
	}
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
