// SPDX-License-Identifier: GPL-2.0
#include "check/results_file.h"

#include "lib/library.h"

#ifdef HAVE_JSON

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/json_text.h"
#include "lib/file.h"

static const char *const causes[] = { "decoding", "kernel", "unknown" };

static struct error *not_a_report(const char *path)
{
	return error_hint(error_new(EINVAL, "%s was not written by 'ktrace check --json'", path),
			  "--results reads files of 'ktrace check --json' of this version");
}

/* Get a member's text; NULL: it is missing, or not a text. */
static const char *text_member(struct json_object *object, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(object, name, &value) &&
		json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

static struct json_object *array_member(struct json_object *object, const char *name)
{
	struct json_object *value;

	return json_object_is_type(object, json_type_object) &&
		json_object_object_get_ex(object, name, &value) &&
		json_object_is_type(value, json_type_array) ? value : NULL;
}

/* A number from 1; 0: there is none. */
static size_t count_member(struct json_object *object, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(object, name, &value) &&
		json_object_is_type(value, json_type_int) && json_object_get_int64(value) > 0 ?
		json_object_get_uint64(value) : 0;
}

static enum rule_id rule_of_name(const char *name)
{
	int id = 0;

	while (id < RULES_NR && strcmp(rules[id].name, name))
		id++;
	return id;
}

/* The opposite of place_find(). */
static size_t place_at(const char *text, size_t line, size_t column)
{
	const char *at = text;

	while (at && line-- > 1) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at && column && column - 1 <= strcspn(at, "\n") ? (size_t)(at - text) + column - 1 :
		NO_PLACE;
}

static struct error *read_finding(struct results *results, struct result *result,
				  struct json_object *object, const char *path)
{
	const char *name = text_member(object, "rule"), *message = text_member(object, "message");
	const char *instead = text_member(object, "instead"), *detail, *cause;
	size_t line = count_member(object, "line");
	enum rule_id rule = name ? rule_of_name(name) : RULES_NR;

	if (rule == RULES_NR || !message)
		return not_a_report(path);
	finding_add(results, result, rule, text_member(object, "field"),
		    line ? place_at(result->text, line, count_member(object, "column")) : NO_PLACE,
		    "%s", message);
	if (instead && strcmp(instead, rules[rule].instead))
		finding_instead(result, rule, "%s", instead);
	detail = text_member(object, "detail");
	if (detail)
		finding_detail(result, rule, detail);
	cause = text_member(object, "cause");
	for (size_t i = 0; cause && i < sizeof(causes) / sizeof(causes[0]); i++)
		if (!strcmp(cause, causes[i]))
			finding_cause(result, rule, causes[i]);
	return NULL;
}

static struct result *find_result(const struct results *results, const char *system,
				  const char *name)
{
	for (size_t i = 0; i < results->nr; i++)
		if (!strcmp(results->items[i]->system, system) &&
		    !strcmp(results->items[i]->name, name))
			return results->items[i];
	return NULL;
}

/* The names come from a file, so they are checked before they become a path. */
static struct error *read_kept_format(const char *folder, const char *system, const char *name,
				 char **ret, size_t *ret_len)
{
	_cleanup_free_ char *path = NULL;
	struct error *err;

	*ret = NULL;
	*ret_len = 0;
	if (!folder || strchr(system, '/') || strchr(name, '/') || system[0] == '.')
		return NULL;
	if (asprintf(&path, "%s/%s/%s/format", folder, system, name) < 0)
		return &error_no_memory;
	err = file_read_regular(path, ret, ret_len);
	if (err && err->code == ENOENT) {
		error_free(err);
		err = NULL;
	}
	return err;
}

static struct error *read_event(struct results *results, struct json_object *object,
				const char *path, const char *formats)
{
	const char *system = text_member(object, "system"), *name = text_member(object, "name");
	const char *format = text_member(object, "format");
	struct json_object *findings = array_member(object, "findings");
	_cleanup_free_ char *text = NULL;
	struct error *err = NULL;
	struct result *result;
	size_t len = 0;

	if (!system || !name || !findings)
		return not_a_report(path);
	result = find_result(results, system, name);
	if (!result) {
		err = read_kept_format(formats, system, name, &text, &len);
		if (!err)
			result = results_add(results, system, name, format ? format : "",
					     text ? text : "", len);
		if (!err && !result)
			err = &error_no_memory;
	}
	for (size_t i = 0; !err && i < json_object_array_length(findings); i++)
		err = read_finding(results, result, json_object_array_get_idx(findings, i), path);
	return err;
}

struct error *results_file_read(const char *path, const char *formats, struct results *results)
{
	_cleanup_free_ char *text = NULL;
	struct json_object *root = NULL, *events;
	struct error *err;
	size_t len;

	err = file_read(path, &text, &len);
	if (!err)
		err = json_text_parse(text, len, &root);
	if (err)
		return err;
	events = array_member(root, "events");
	if (!events)
		err = not_a_report(path);
	for (size_t i = 0; !err && i < json_object_array_length(events); i++) {
		struct json_object *event = json_object_array_get_idx(events, i);

		err = json_object_is_type(event, json_type_object) ?
			read_event(results, event, path, formats) : not_a_report(path);
	}
	json_object_put(root);
	return err;
}

#else

struct error *results_file_read(const char *path, const char *formats, struct results *results)
{
	return error_prefix(library_missing(LIBRARY_JSON), "Findings cannot be read from %s", path);
}

#endif
