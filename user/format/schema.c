// SPDX-License-Identifier: GPL-2.0
#include "format/schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

void schema_deinit(struct schema *schema)
{
	for (size_t i = 0; i < schema->nr; i++)
		formats_destroy(schema->items[i].owned);
	free(schema->items);
	*schema = (struct schema){ 0 };
}

static int schema_compare_names(const struct event_format *x, const char *system, const char *name)
{
	int order = strcmp(x->system, system);

	return order ? order : strcmp(x->name, name);
}

DEFINE_COMPARISON(schema_compare_formats, struct schema_event,
		  schema_compare_names(x->format, y->format->system, y->format->name))

static void schema_sort(struct schema *schema)
{
	array_sort(schema, schema_compare_formats);
}

/*
 * Each format has its own collection, because a folder that was assembled by hand may contain an id
 * twice.
 */
static struct error *schema_read_one(const struct format_file *file, struct schema *schema)
{
	_cleanup_(formats) struct formats *formats = NULL;
	struct schema_event item;
	struct error *err;

	err = formats_create(&formats);
	if (!err)
		err = formats_add(formats, file->system, file->text, file->len);
	if (err)
		return err;
	item = (struct schema_event){ formats_at(formats, 0), formats };
	if (!array_push(schema, item))
		return &error_no_memory;
	formats = NULL;
	return NULL;
}

struct error *schema_read_files(const struct format_files *files, struct schema *ret,
				size_t *ret_left_out)
{
	_cleanup_(schema) struct schema schema = { 0 };

	*ret_left_out = 0;
	for (size_t i = 0; i < files->nr; i++) {
		struct error *err = schema_read_one(&files->items[i], &schema);

		if (err && err->code != EINVAL)
			return err;
		*ret_left_out += err != NULL;
		error_free(err);
	}
	schema_sort(&schema);
	*ret = schema;
	schema = (struct schema){ 0 };
	return NULL;
}

struct error *schema_read_formats(const struct formats *formats, struct schema *ret)
{
	_cleanup_(schema) struct schema schema = { 0 };

	for (size_t i = 0; i < formats_count(formats); i++) {
		struct schema_event item = { formats_at(formats, i), NULL };

		if (!array_push(&schema, item))
			return &error_no_memory;
	}
	schema_sort(&schema);
	*ret = schema;
	schema = (struct schema){ 0 };
	return NULL;
}

const struct event_format *schema_find(const struct schema *schema, const char *system,
				       const char *name)
{
	size_t nr = array_count_while(schema->nr, i, schema_compare_names(schema->items[i].format,
									  system, name) < 0);

	return nr < schema->nr && !schema_compare_names(schema->items[nr].format, system, name) ?
		schema->items[nr].format : NULL;
}

static bool schema_add(struct schema_changes *changes, enum schema_change_kind kind,
		       const struct event_format *event, const struct field *from,
		       const struct field *to)
{
	struct schema_change change = { kind, event, from, to };

	return array_push(changes, change);
}

static bool schema_is_text(const struct field *field)
{
	return field->kind == FIELD_STRING || field->kind == FIELD_DYNAMIC_STRING ||
		field->kind == FIELD_REL_STRING;
}

/*
 * Whether a field's type changed.  The sign of a char array is ignored: since v6.2 char is unsigned
 * everywhere.
 */
static bool is_retyped(const struct field *from, const struct field *to)
{
	return strcmp(from->type, to->type) || from->size != to->size ||
		(from->is_signed != to->is_signed && !schema_is_text(from));
}

static bool schema_compare_events(const struct event_format *from, const struct event_format *to,
				  struct schema_changes *changes)
{
	bool ok = true;

	for (size_t i = 0; ok && i < from->nr_fields; i++) {
		const struct field *field = &from->fields[i];
		const struct field *now = event_format_field(to, field->name);

		if (!now)
			ok = schema_add(changes, FIELD_REMOVED, to, field, NULL);
		else if (is_retyped(field, now))
			ok = schema_add(changes, FIELD_RETYPED, to, field, now);
		else if (field->offset != now->offset)
			ok = schema_add(changes, FIELD_MOVED, to, field, now);
	}
	for (size_t i = 0; ok && i < to->nr_fields; i++)
		if (!event_format_field(from, to->fields[i].name))
			ok = schema_add(changes, FIELD_ADDED, to, NULL, &to->fields[i]);
	return ok;
}

struct error *schema_compare(const struct schema *from, const struct schema *to,
			     struct schema_changes *ret)
{
	struct schema_changes changes = { 0 };
	size_t i = 0, j = 0;
	bool ok = true;

	while (ok && (i < from->nr || j < to->nr)) {
		const struct event_format *a = i < from->nr ? from->items[i].format : NULL;
		const struct event_format *b = j < to->nr ? to->items[j].format : NULL;
		int order = !a ? 1 : !b ? -1 : schema_compare_names(a, b->system, b->name);

		if (order < 0)
			ok = schema_add(&changes, EVENT_REMOVED, a, NULL, NULL);
		else if (order > 0)
			ok = schema_add(&changes, EVENT_ADDED, b, NULL, NULL);
		else
			ok = schema_compare_events(a, b, &changes);
		i += order <= 0;
		j += order >= 0;
	}
	if (!ok) {
		free(changes.items);
		return &error_no_memory;
	}
	*ret = changes;
	return NULL;
}
