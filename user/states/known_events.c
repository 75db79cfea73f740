// SPDX-License-Identifier: GPL-2.0
#include "states/known_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

struct known_fields {
	bool known;		/* the event was examined */
	int kind;
	const struct field *fields[KNOWN_FIELDS];
};

void known_events_deinit(struct known_events *values)
{
	free(take_ptr(values->fields.items));
	values->fields.nr = values->fields.alloc = 0;
}

static const struct field *known_field_find(const struct event_format *format, const char *names)
{
	while (*names) {
		size_t len = strcspn(names, "|");

		for (size_t i = 0; i < format->nr_fields; i++)
			if (!strncmp(format->fields[i].name, names, len) &&
			    !format->fields[i].name[len])
				return &format->fields[i];
		names += len + (names[len] == '|');
	}
	return NULL;
}

static bool known_fields_find(const struct event_format *format, const struct known_row *row,
			      struct known_fields *ret)
{
	for (size_t i = 0; i < KNOWN_FIELDS && row->fields[i]; i++) {
		bool optional = *row->fields[i] == '?';

		ret->fields[i] = known_field_find(format, row->fields[i] + optional);
		if (!ret->fields[i] && !optional)
			return false;
	}
	return true;
}

static void known_fields_learn(const struct known_row *rows, const struct session_record *r,
			       struct known_fields *ret)
{
	const struct event_format *format = event_counts(r->events, r->event) ? r->format : NULL;

	*ret = (struct known_fields){ .known = true };
	for (const struct known_row *row = rows; format && row->name; row++)
		if (!strcmp(format->name, row->name) && !strcmp(format->system, row->system) &&
		    known_fields_find(format, row, ret))
			ret->kind = row->kind;
}

struct error *known_event_read(struct known_events *values, const struct session_record *r,
				struct known_event *ret)
{
	const struct sample *s = &r->sample;
	struct known_fields *fields;

	fields = array_at(&values->fields, r->event->index, 0);
	if (!fields)
		return &error_no_memory;
	if (!fields->known)
		known_fields_learn(values->rows, r, fields);
	ret->kind = fields->kind;
	if (!fields->kind)
		return NULL;
	for (size_t i = 0; i < KNOWN_FIELDS; i++) {
		const struct field *field = fields->fields[i];

		ret->fields[i] = field;
		ret->values[i] = field && field->kind == FIELD_INTEGER ?
			field_u64(field, s->raw, s->raw_size) : 0;
	}
	return NULL;
}

const char *known_event_text(const struct known_event *value, size_t index,
			     const struct session_record *r, size_t *ret_len)
{
	const struct field *field = value->fields[index];
	const char *text = NULL;

	*ret_len = 0;
	if (field && field->kind != FIELD_INTEGER)
		text = field_bytes(field, r->sample.raw, r->sample.raw_size, ret_len);
	return text ? text : "";
}

bool event_is_recorded(const struct event_list *list, const char *system, const char *name)
{
	size_t len = strlen(system);

	for (size_t i = 0; i < list->nr; i++) {
		const char *of_event = list->items[i]->name;

		if (!strncmp(of_event, system, len) && of_event[len] == ':' &&
		    !strcmp(of_event + len + 1, name))
			return true;
	}
	return false;
}

/*
 * The recorder writes names of tracepoints at the end, so a recording that is cut off lacks them.
 */
static bool lacks_names(const struct event_list *list)
{
	return array_any(list, it, (*it)->attr.type == PERF_TYPE_TRACEPOINT &&
				   !strchr((*it)->name, ':'));
}

struct error *needed_events_check(enum needed_events needed, const struct event_list *events)
{
	static const struct {
		const char *system, *names, *lacks, *instead;
	} rows[] = {
#define NEEDED(name, ...) { __VA_ARGS__ },
#include "states/needed_events.def"
#undef NEEDED
	};
	const char *at = rows[needed].names;

	for (size_t len; *at; at += len + (at[len] == ' ')) {
		char name[64];

		len = strcspn(at, " ");
		snprintf(name, sizeof(name), "%.*s", (int)len, at);
		if (event_is_recorded(events, rows[needed].system, name))
			return NULL;
	}
	if (lacks_names(events))
		return error_hint(error_new(ENODATA, "%s: it was cut off before the names of its events",
					    rows[needed].lacks),
				  "'ktrace recover FILE -o NEW --formats OTHER' takes them from another "
				  "recording of these events and this kernel");
	return error_hint(error_new(ENODATA, "%s", rows[needed].lacks), "%s", rows[needed].instead);
}
