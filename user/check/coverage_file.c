// SPDX-License-Identifier: GPL-2.0
#include "check/coverage_file.h"

#include "lib/library.h"

#ifdef HAVE_JSON

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/coverage_state.h"
#include "format/json_text.h"
#include "lib/array.h"
#include "lib/file.h"
#include "lib/hash.h"
#include "lib/json.h"
#include "lib/log.h"
#include "lib/new_file.h"

/* Every such file has this member.  Its only value until now is VERSION. */
#define VERSION_KEY "ktrace-coverage"
#define VERSION 1

struct coverage_file {
	char *path;
	struct json_object *root, *events;	/* events by "system:name", in the root */
	ARRAY_OF(char *) names;
};

void coverage_file_close(struct coverage_file *file)
{
	if (!file)
		return;
	json_object_put(file->root);
	array_free_each(&file->names);
	free(file->path);
	free(file);
}

static struct error *not_ours(const struct coverage_file *file)
{
	return error_hint(error_new(EINVAL, "%s was not written by 'ktrace check --merge'",
				    file->path),
			  "Name another file, or remove it to begin anew");
}

/* Get a member of an object; NULL: there is none, or it has another type. */
static struct json_object *member(struct json_object *object, const char *name,
				  enum json_type type)
{
	struct json_object *value;

	return json_object_object_get_ex(object, name, &value) &&
		json_object_is_type(value, type) ? value : NULL;
}

static bool member_bool(struct json_object *object, const char *name)
{
	return json_object_get_boolean(member(object, name, json_type_boolean));
}

static uint64_t member_number(struct json_object *object, const char *name)
{
	return json_object_get_uint64(member(object, name, json_type_int));
}

static void add_json_member(struct json_object *object, const char *name, struct json_object *value)
{
	json_object_object_add(object, name, value);
}

static struct error *parse_coverage(struct coverage_file *file, const char *text, size_t len)
{
	struct json_object *version;
	struct error *err = json_text_parse(text, len, &file->root);

	if (err)
		return err;
	version = member(file->root, VERSION_KEY, json_type_int);
	file->events = member(file->root, "events", json_type_object);
	if (!version || !file->events)
		return not_ours(file);
	if (json_object_get_int64(version) != VERSION)
		return error_hint(error_new(EINVAL, "%s was written by a newer ktrace", file->path),
				  "Name another file");
	json_object_object_foreach(file->events, name, event) {
		char *copy = strdup(name);

		if (!json_object_is_type(event, json_type_object)) {
			free(copy);
			return not_ours(file);
		}
		if (!copy || !array_push(&file->names, copy)) {
			free(copy);
			return &error_no_memory;
		}
	}
	return NULL;
}

static struct error *begin_coverage_file(struct coverage_file *file)
{
	file->root = json_object_new_object();
	file->events = json_object_new_object();
	if (!file->root || !file->events)
		return &error_no_memory;
	add_json_member(file->root, VERSION_KEY, json_object_new_int(VERSION));
	add_json_member(file->root, "events", file->events);
	return NULL;
}

struct error *coverage_file_open(const char *path, struct coverage_file **ret)
{
	_cleanup_(coverage_file) struct coverage_file *file = calloc(1, sizeof(*file));
	_cleanup_free_ char *text = NULL;
	struct error *err;
	size_t len;

	if (!file)
		return &error_no_memory;
	file->path = strdup(path);
	if (!file->path)
		return &error_no_memory;
	if (access(path, F_OK) && errno == ENOENT)
		err = begin_coverage_file(file);
	else
		err = file_read(path, &text, &len);
	if (!err && text)
		err = parse_coverage(file, text, len);
	if (!err && !array_push(&file->names, (char *)NULL))
		err = &error_no_memory;
	if (err)
		return err;
	file->names.nr--;
	*ret = take_ptr(file);
	return NULL;
}

char *const *coverage_file_events(const struct coverage_file *file)
{
	return file->names.items;
}

/*
 * Hash the format from "format:" on, because the id before it changes each time a module is
 * loaded.
 */
static void format_hash(const struct event_coverage *event, char ret[17])
{
	const char *text = strstr(event->subject.text, "\nformat:");

	snprintf(ret, 17, "%016llx",
		 (unsigned long long)hash_text(text ? text : event->subject.text));
}

static void load_field(struct json_object *fields, const struct field *field,
		       struct field_coverage *f)
{
	struct json_object *object = member(fields, field->name, json_type_object);
	struct json_object *seen = member(object, "seen", json_type_array);

	f->first = member_number(object, "first");
	f->varies = member_bool(object, "varies");
	f->nonzero = member_bool(object, "nonzero");
	for (size_t i = 0; seen && i < json_object_array_length(seen); i++) {
		const char *name = json_object_get_string(json_object_array_get_idx(seen, i));

		for (size_t j = 0; name && j < field->nr_names; j++)
			f->seen[j] |= !strcmp(field->names[j].name, name);
	}
}

static void load_event(struct json_object *object, struct event_coverage *event)
{
	struct json_object *fields = member(object, "fields", json_type_object);
	struct json_object *branches = member(object, "branches", json_type_array);
	const struct event_format *format = event->subject.format;

	event->records = member_number(object, "records");
	for (size_t i = format->nr_common; i < format->nr_fields; i++)
		load_field(fields, &format->fields[i], &event->fields[i]);
	for (size_t i = 0; branches && i < event->branches.nr; i++) {
		struct json_object *branch = json_object_array_get_idx(branches, i);

		event->branches.items[i].seen[0] = member_bool(branch, "false");
		event->branches.items[i].seen[1] = member_bool(branch, "true");
	}
}

struct error *coverage_file_load(const struct coverage_file *file, struct coverage *coverage)
{
	for (size_t i = 0; i < coverage->results->nr; i++) {
		const struct result *result = coverage->results->items[i];
		_cleanup_free_ char *name = result_name(result);
		struct json_object *object, *hash;
		char now[17];

		if (!name)
			return &error_no_memory;
		object = member(file->events, name, json_type_object);
		if (!object || !coverage->events[i].subject.format)
			continue;
		hash = member(object, "format", json_type_string);
		format_hash(&coverage->events[i], now);
		if (hash && !strcmp(json_object_get_string(hash), now))
			load_event(object, &coverage->events[i]);
		else
			log_notice("The format of %s differs from that in %s, so its coverage "
				   "begins anew.", name, file->path);
	}
	return NULL;
}

static struct json_object *field_object(const struct field *field, const struct field_coverage *f)
{
	struct json_object *object = json_object_new_object();
	struct json_object *seen = json_object_new_array();

	add_json_member(object, "first", json_object_new_uint64(f->first));
	add_json_member(object, "varies", json_object_new_boolean(f->varies));
	add_json_member(object, "nonzero", json_object_new_boolean(f->nonzero));
	for (size_t i = 0; i < field->nr_names; i++)
		if (f->seen[i])
			json_object_array_add(seen, json_object_new_string(field->names[i].name));
	add_json_member(object, "seen", seen);
	return object;
}

static struct json_object *event_object(const struct event_coverage *event)
{
	const struct event_format *format = event->subject.format;
	struct json_object *object = json_object_new_object();
	struct json_object *fields = json_object_new_object();
	struct json_object *branches = json_object_new_array();
	char hash[17];

	format_hash(event, hash);
	add_json_member(object, "format", json_object_new_string(hash));
	add_json_member(object, "records", json_object_new_uint64(event->records));
	for (size_t i = format->nr_common; i < format->nr_fields; i++)
		add_json_member(fields, format->fields[i].name,
				field_object(&format->fields[i], &event->fields[i]));
	add_json_member(object, "fields", fields);
	for (size_t i = 0; i < event->branches.nr; i++) {
		struct json_object *branch = json_object_new_object();

		add_json_member(branch, "false",
				json_object_new_boolean(event->branches.items[i].seen[0]));
		add_json_member(branch, "true",
				json_object_new_boolean(event->branches.items[i].seen[1]));
		json_object_array_add(branches, branch);
	}
	add_json_member(object, "branches", branches);
	return object;
}

/* The file was read with json-c, but is written by the same writer as all JSON. */
static void add_read_value(struct json_writer *json, const char *name, struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_null:
		json_add_null(json, name);
		break;
	case json_type_boolean:
		json_add_bool(json, name, json_object_get_boolean(value));
		break;
	case json_type_double:
		json_add_double(json, name, json_object_get_double(value));
		break;
	case json_type_int:
		if (json_object_get_int64(value) < 0)
			json_add_signed(json, name, json_object_get_int64(value));
		else
			json_add_unsigned(json, name, json_object_get_uint64(value));
		break;
	case json_type_string:
		json_add_bytes(json, name, json_object_get_string(value),
			       json_object_get_string_len(value));
		break;
	case json_type_array:
		json_begin_array(json, name);
		for (size_t i = 0; i < json_object_array_length(value); i++)
			add_read_value(json, NULL, json_object_array_get_idx(value, i));
		json_end_array(json);
		break;
	case json_type_object:
		json_begin_object(json, name);
		json_object_object_foreach(value, key, member)
			add_read_value(json, key, member);
		json_end_object(json);
		break;
	}
}

struct error *coverage_file_write(struct coverage_file *file, const struct coverage *coverage)
{
	_cleanup_(new_file) struct new_file new = NEW_FILE_INIT;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct json_writer json = { .out = &text };
	struct error *err;
	int code;

	for (size_t i = 0; i < coverage->results->nr; i++) {
		_cleanup_free_ char *name = result_name(coverage->results->items[i]);

		if (!name)
			return &error_no_memory;
		if (coverage->events[i].subject.format)
			add_json_member(file->events, name, event_object(&coverage->events[i]));
	}
	add_read_value(&json, NULL, file->root);
	json_end(&json);
	if (text.failed)
		return &error_no_memory;
	err = new_file_create(&new, file->path);
	if (err)
		return error_hint(err, "Name another file to --merge");
	code = fd_write_all(new.fd, text.data, text.len);
	if (code)
		return error_errno(-code, "Cannot write %s", file->path);
	return new_file_commit(&new);
}

#else /* !HAVE_JSON: nothing but open() is ever called */

struct error *coverage_file_open(const char *path, struct coverage_file **ret)
{
	return error_prefix(library_missing(LIBRARY_JSON), "Coverage cannot be kept in %s", path);
}

void coverage_file_close(struct coverage_file *file)
{
}

char *const *coverage_file_events(const struct coverage_file *file)
{
	return NULL;
}

struct error *coverage_file_load(const struct coverage_file *file, struct coverage *coverage)
{
	return library_missing(LIBRARY_JSON);
}

struct error *coverage_file_write(struct coverage_file *file, const struct coverage *coverage)
{
	return library_missing(LIBRARY_JSON);
}

#endif
