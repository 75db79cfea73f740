// SPDX-License-Identifier: GPL-2.0
/*
 * Values of markers are kept as numbers of few bytes: the field's key and kind, then the value;
 * a 0 ends them.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "columns/event_values.h"
#include "lib/array.h"
#include "lib/number.h"
#include "lib/varint.h"
#include "output/firefox/firefox.h"

/* Bits of a field's kind. */
#define KIND_BITS	3

/* So many fields are in the line of a marker. */
#define LABEL_FIELDS	8

void firefox_schema_deinit(struct firefox_schema *schema)
{
	free(schema->items);
}

/* These members of a marker's data mean something else to the viewer. */
static bool is_firefox_word(const char *name)
{
	return !strcmp(name, "type") || !strcmp(name, "cause") || !strcmp(name, "stack") ||
	       !strcmp(name, "innerWindowID") || !strcmp(name, "__proto__");
}

struct error *firefox_schema_add(struct firefox_schema *schema, struct firefox_file *file,
				 const char *name, enum firefox_kind kind)
{
	_cleanup_(strbuf) struct strbuf key = STRBUF_INIT;
	struct firefox_field field = { .kind = kind };
	struct error *err;

	strbuf_addstr(&key, name);
	if (is_firefox_word(name))
		strbuf_addch(&key, '_');
	if (key.failed)
		return &error_no_memory;
	err = firefox_find_text(file, strbuf_str(&key), key.len, &field.key);
	if (!err && !array_push(schema, field))
		err = &error_no_memory;
	return err;
}

static void add_field_head(struct strbuf *out, const struct firefox_field *field)
{
	varint_add(out, ((uint64_t)field->key << KIND_BITS | field->kind) + 1);
}

void firefox_add_number(struct strbuf *out, const struct firefox_field *field, uint64_t number)
{
	add_field_head(out, field);
	if (field->kind == FIREFOX_SIGNED)
		varint_add_signed(out, number);
	else
		varint_add(out, number);
}

struct error *firefox_add_text(struct firefox_file *file, struct strbuf *out,
			       const struct firefox_field *field, const char *text, size_t len)
{
	int32_t number;
	struct error *err = firefox_find_text(file, text, len, &number);

	if (err)
		return err;
	add_field_head(out, field);
	varint_add(out, number);
	return NULL;
}

static enum firefox_kind kind_of_value(const struct event_value *value,
				       const struct event_format *format, size_t position)
{
	size_t number = format->nr_common + position;

	switch (value->type) {
	case EVENT_VALUE_SIGNED:
		return FIREFOX_SIGNED;
	case EVENT_VALUE_TEXT:
		return FIREFOX_TEXT;
	case EVENT_VALUE_BYTES:
		return FIREFOX_BYTES;
	default:
		return number < format->nr_fields && format->fields[number].is_pointer ?
		       FIREFOX_ADDRESS : FIREFOX_UNSIGNED;
	}
}

struct error *firefox_schema_take(struct firefox_schema *schema, struct firefox_file *file,
				  const struct session_record *r, struct strbuf *out)
{
	struct event_values values;
	struct event_value value;
	struct error *err = NULL;

	if (schema->format != r->format)
		schema->nr = 0;
	schema->format = r->format;
	event_values_begin(&values, r);
	for (size_t i = 0; !err && event_values_next(&values, &value); i++) {
		if (i == schema->nr)
			err = firefox_schema_add(schema, file, value.name,
						 kind_of_value(&value, r->format, i));
		if (err)
			break;
		switch (value.type) {
		case EVENT_VALUE_TEXT:
			err = firefox_add_text(file, out, &schema->items[i], value.bytes,
					       value.len);
			break;
		case EVENT_VALUE_BYTES:
			firefox_add_number(out, &schema->items[i], value.len);
			strbuf_add(out, value.bytes, value.len);
			break;
		default:
			firefox_add_number(out, &schema->items[i], value.number);
		}
	}
	return err;
}

/* The text, valid until the next call. */
static const char *firefox_key(struct firefox_file *file, int32_t key)
{
	size_t len;
	const char *text = dictionary_text(file->strings, key, &len);

	strbuf_reset(&file->key);
	strbuf_add(&file->key, text, len);
	file->json.out->failed |= file->key.failed;
	return strbuf_str(&file->key);
}

static bool is_plain_key(const char *key)
{
	while (isalnum((unsigned char)*key) || *key == '_')
		key++;
	return !*key;
}

/* "prev_comm={marker.data.prev_comm} ..." is the line of a marker in tables. */
static void add_marker_label(const struct firefox_schema *schema, struct firefox_file *file)
{
	_cleanup_(strbuf) struct strbuf label = STRBUF_INIT;

	for (size_t i = 0; i < schema->nr && i < LABEL_FIELDS; i++) {
		const char *key = firefox_key(file, schema->items[i].key);

		if (is_plain_key(key))
			strbuf_addf(&label, "%s%s={marker.data.%s}", label.len ? " " : "", key, key);
	}
	file->json.out->failed |= label.failed;
	if (label.len)
		json_add_text(&file->json, "tableLabel", strbuf_str(&label));
}

static void add_schema_fields(const struct firefox_schema *schema, struct firefox_file *file)
{
	static const char *const formats[] = {
		[FIREFOX_SIGNED] = "integer", [FIREFOX_UNSIGNED] = "integer",
		[FIREFOX_ADDRESS] = "string", [FIREFOX_TEXT] = "unique-string",
		[FIREFOX_BYTES] = "string",
	};

	for (size_t i = 0; i < schema->nr; i++) {
		json_begin_row(&file->json, NULL);
		firefox_add_string(file, "key", schema->items[i].key);
		json_add_text(&file->json, "format", formats[schema->items[i].kind]);
		json_end_object(&file->json);
	}
}

void firefox_schema_write(const struct firefox_schema *schema,
			  const struct firefox_schema *common, struct firefox_file *file)
{
	static const char *const displays[] = { "marker-chart", "marker-table", "timeline-overview" };
	struct json_writer *json = &file->json;

	json_begin_row(json, NULL);
	firefox_add_string(file, "name", schema->name);
	add_marker_label(schema, file);
	json_begin_array(json, "display");
	for (size_t i = 0; i < ARRAY_SIZE(displays); i++)
		json_add_text(json, NULL, displays[i]);
	json_end_array(json);
	json_begin_array(json, "fields");
	if (common)
		add_schema_fields(common, file);
	add_schema_fields(schema, file);
	json_end_array(json);
	json_end_object(json);
}

static void add_marker_value(struct firefox_file *file, const char *key, enum firefox_kind kind,
			     const char **at)
{
	struct strbuf *text = &file->text;
	uint64_t number;

	strbuf_reset(text);
	switch (kind) {
	case FIREFOX_SIGNED:
		json_add_signed(&file->json, key, varint_take_signed(at));
		return;
	case FIREFOX_UNSIGNED:
	case FIREFOX_TEXT:
		json_add_unsigned(&file->json, key, varint_take(at));
		return;
	case FIREFOX_ADDRESS:
		strbuf_addstr(text, "0x");
		number_add_hex(text, varint_take(at), 0, ' ');
		break;
	case FIREFOX_BYTES:
		for (number = varint_take(at); number; number--)
			number_add_hex(text, (unsigned char)*(*at)++, 2, '0');
	}
	file->json.out->failed |= text->failed;
	json_add_bytes(&file->json, key, strbuf_str(text), text->len);
}

void firefox_values_write(struct firefox_file *file, const char **at)
{
	uint64_t head;

	while ((head = varint_take(at))) {
		head--;
		add_marker_value(file, firefox_key(file, head >> KIND_BITS),
				 head & ((1 << KIND_BITS) - 1), at);
	}
}
