// SPDX-License-Identifier: GPL-2.0
#include "probe/event.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

void probe_event_deinit(struct probe_event *event)
{
	for (size_t i = 0; i < event->args.nr; i++) {
		free(event->args.items[i].name);
		free(event->args.items[i].value);
		free(event->args.items[i].type);
	}
	free(event->args.items);
	free(event->group);
	free(event->name);
	free(event->binary);
	free(event->symbol);
	free(event->function);
	*event = (struct probe_event){ 0 };
}

void probe_events_deinit(struct probe_events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		probe_event_deinit(&events->items[i]);
	free(events->items);
	*events = (struct probe_events){ 0 };
}

/* The kernel refuses two arguments of one name: the second one gets a number. */
static char *event_unique_name(const struct probe_event *event, const char *name)
{
	char *unique = strdup(name);

	for (unsigned int number = 1; unique; number++) {
		size_t i = 0;

		while (i < event->args.nr && (!event->args.items[i].name ||
					      strcmp(event->args.items[i].name, unique)))
			i++;
		if (i == event->args.nr)
			break;
		free(unique);
		if (asprintf(&unique, "%s_%u", name, number) < 0)
			unique = NULL;
	}
	return unique;
}

struct error *probe_event_add_arg(struct probe_event *event, const char *name, const char *value,
				  const char *type)
{
	struct probe_event_arg arg = {
		.name = name ? event_unique_name(event, name) : NULL, .value = strdup(value),
		.type = type ? strdup(type) : NULL,
	};

	if (arg.value && (arg.name || !name) && (arg.type || !type) &&
	    array_push(&event->args, arg))
		return NULL;
	free(arg.name);
	free(arg.value);
	free(arg.type);
	return &error_no_memory;
}

void probe_event_add_text(const struct probe_event *event, struct strbuf *out)
{
	strbuf_addf(out, "%c:%s/%s ", event->is_return ? 'r' : 'p', event->group, event->name);
	if (event->binary)
		strbuf_addf(out, "%s:", event->binary);
	if (event->is_user)
		strbuf_addf(out, "0x%llx", (unsigned long long)event->offset);
	else
		strbuf_addf(out, "%s+%llu", event->symbol, (unsigned long long)event->offset);
	if (event->reference)
		strbuf_addf(out, "(0x%llx)", (unsigned long long)event->reference);
	for (size_t i = 0; i < event->args.nr; i++) {
		const struct probe_event_arg *arg = &event->args.items[i];

		strbuf_addch(out, ' ');
		if (arg->name)
			strbuf_addf(out, "%s=", arg->name);
		strbuf_addstr(out, arg->value);
		if (arg->type)
			strbuf_addf(out, ":%s", arg->type);
	}
}

/* Copy the word at *at; NULL: there is none, or no memory. */
static char *event_word(const char **at, const char *stops)
{
	size_t len = strcspn(*at, stops);
	char *word = len ? strndup(*at, len) : NULL;

	*at += len;
	return word;
}

static bool event_parse_place(const char *text, struct probe_event *event)
{
	const char *colon = strrchr(text, ':'), *place = colon ? colon + 1 : text, *plus;
	char *end;

	if (colon && !(event->binary = strndup(text, colon - text)))
		return false;
	event->is_user = event->binary && strchr(event->binary, '/');
	if (event->is_user) {
		event->offset = strtoull(place, &end, 16);
		if (*end == '(')
			event->reference = strtoull(end + 1, NULL, 16);
		return end != place;
	}
	plus = strchr(place, '+');
	event->offset = plus ? strtoull(plus + 1, NULL, 0) : 0;
	event->symbol = plus ? strndup(place, plus - place) : strdup(place);
	return event->symbol && *event->symbol;
}

static bool event_parse_arg(char *word, struct probe_event *event)
{
	char *equals = strchr(word, '='), *value = equals ? equals + 1 : word;
	char *colon = strchr(value, '"') ? NULL : strrchr(value, ':');
	struct error *err;

	if (equals)
		*equals = '\0';
	if (colon)
		*colon = '\0';
	err = probe_event_add_arg(event, equals ? word : NULL, value, colon ? colon + 1 : NULL);
	error_free(err);
	return !err;
}

bool probe_event_parse(const char *line, struct probe_event *ret)
{
	_cleanup_(probe_event) struct probe_event event = { .is_return = *line == 'r' };
	_cleanup_free_ char *place = NULL;
	const char *at = line;

	if (*line != 'p' && *line != 'r')
		return false;
	/* "r16:" has the number of returns that are awaited at once. */
	for (at++; isdigit((unsigned char)*at); at++)
		;
	if (*at++ != ':')
		return false;
	event.group = event_word(&at, "/ \n");
	if (!event.group || *at++ != '/')
		return false;
	event.name = event_word(&at, " \n");
	at += strspn(at, " ");
	place = event_word(&at, " \n");
	if (!event.name || !place || !event_parse_place(place, &event))
		return false;
	while (*(at += strspn(at, " \n"))) {
		_cleanup_free_ char *word = event_word(&at, " \n");

		if (!word || !event_parse_arg(word, &event))
			return false;
	}
	*ret = event;
	event = (struct probe_event){ 0 };
	return true;
}

bool probe_name_matches(const char *group, const char *event, const char *text)
{
	const char *colon = strchr(text, ':');
	_cleanup_free_ char *wanted = colon ? strndup(text, colon - text) : NULL;

	return !fnmatch(colon ? colon + 1 : text, event, 0) &&
	       (!colon || (wanted && !fnmatch(wanted, group, 0)));
}
