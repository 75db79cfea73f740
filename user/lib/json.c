// SPDX-License-Identifier: GPL-2.0
#include "lib/json.h"

#include <math.h>

#include "lib/number.h"
#include "lib/utf8.h"

#define INDENT	2

static void add_escaped_byte(struct strbuf *out, unsigned char byte)
{
	static const char letters[] = "btn\0fr";	/* for 8 to 13 */

	if (byte == '"' || byte == '\\') {
		strbuf_addch(out, '\\');
		strbuf_addch(out, byte);
	} else if (byte >= '\b' && byte <= '\r' && byte != '\v') {
		strbuf_addch(out, '\\');
		strbuf_addch(out, letters[byte - '\b']);
	} else {
		strbuf_addf(out, "\\u%04x", byte);
	}
}

/* Returns the first byte that has to be escaped; most texts have none. */
static const unsigned char *skip_plain_text(const unsigned char *p, const unsigned char *end)
{
	while (p < end && *p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\')
		p++;
	return p;
}

static void add_json_text(struct strbuf *out, const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + len;

	strbuf_addch(out, '"');
	for (;;) {
		const unsigned char *plain = p;
		size_t size;

		p = skip_plain_text(plain, end);
		strbuf_add(out, plain, p - plain);
		if (p == end)
			break;
		size = utf8_size(p, end - p);
		if (!size)
			strbuf_addstr(out, "\\ufffd");
		else if (*p < 0x20 || *p == 0x7f || *p == '"' || *p == '\\')
			add_escaped_byte(out, *p);
		else if (*p == 0xc2 && p[1] < 0xa0)
			add_escaped_byte(out, p[1]);
		else
			strbuf_add(out, p, size);
		p += size ? size : 1;
	}
	strbuf_addch(out, '"');
}

static void begin_line(struct json_writer *json)
{
	if (json->row_depth)
		return;
	strbuf_addch(json->out, '\n');
	strbuf_add_spaces(json->out, INDENT * json->depth);
}

/* Append the separator, the indentation and the name that precede a value. */
static void begin_value(struct json_writer *json, const char *name)
{
	if (json->has_values)
		strbuf_addstr(json->out, json->row_depth ? ", " : ",");
	if (json->depth)
		begin_line(json);
	json->has_values = true;
	if (!name)
		return;
	add_json_text(json->out, name, strlen(name));
	strbuf_addstr(json->out, ": ");
}

static void begin_container(struct json_writer *json, const char *name, char bracket)
{
	begin_value(json, name);
	strbuf_addch(json->out, bracket);
	json->depth++;
	json->has_values = false;
}

static void end_container(struct json_writer *json, char bracket)
{
	json->depth--;
	if (json->has_values)
		begin_line(json);
	strbuf_addch(json->out, bracket);
	json->has_values = true;
	if (json->depth < json->row_depth)
		json->row_depth = 0;
}

void json_begin_object(struct json_writer *json, const char *name)
{
	begin_container(json, name, '{');
}

void json_end_object(struct json_writer *json)
{
	end_container(json, '}');
}

void json_begin_array(struct json_writer *json, const char *name)
{
	begin_container(json, name, '[');
}

void json_end_array(struct json_writer *json)
{
	end_container(json, ']');
}

void json_begin_row(struct json_writer *json, const char *name)
{
	begin_container(json, name, '{');
	if (!json->row_depth)
		json->row_depth = json->depth;
}

void json_end(struct json_writer *json)
{
	strbuf_addch(json->out, '\n');
	json->has_values = false;
}

void json_add_bytes(struct json_writer *json, const char *name, const char *text, size_t len)
{
	begin_value(json, name);
	add_json_text(json->out, text, len);
}

void json_add_text(struct json_writer *json, const char *name, const char *text)
{
	if (text)
		json_add_bytes(json, name, text, strlen(text));
	else
		json_add_null(json, name);
}

void json_add_unsigned(struct json_writer *json, const char *name, uint64_t number)
{
	begin_value(json, name);
	number_add_unsigned(json->out, number, 0, ' ');
}

void json_add_signed(struct json_writer *json, const char *name, int64_t number)
{
	begin_value(json, name);
	number_add_signed(json->out, number, 0, ' ');
}

void json_add_double(struct json_writer *json, const char *name, double number)
{
	if (!isfinite(number)) {
		json_add_null(json, name);
		return;
	}
	begin_value(json, name);
	number_add_double(json->out, number);
}

void json_add_fixed(struct json_writer *json, const char *name, uint64_t number,
		    unsigned int digits)
{
	uint64_t scale = 1;

	for (unsigned int i = 0; i < digits; i++)
		scale *= 10;
	begin_value(json, name);
	number_add_unsigned(json->out, number / scale, 0, ' ');
	strbuf_addch(json->out, '.');
	number_add_digits(json->out, number % scale, digits);
}

void json_add_bool(struct json_writer *json, const char *name, bool value)
{
	begin_value(json, name);
	strbuf_addstr(json->out, value ? "true" : "false");
}

void json_add_null(struct json_writer *json, const char *name)
{
	begin_value(json, name);
	strbuf_addstr(json->out, "null");
}
