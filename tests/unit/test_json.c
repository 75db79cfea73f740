// SPDX-License-Identifier: GPL-2.0
/* json-c reads the same values that the JSON writer got. */
#include <float.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/json.h"
#include "tap.h"

static struct json_object *read_json_as(const char *text, size_t len, int flags)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *root;

	json_tokener_set_flags(tokener, flags);
	root = json_tokener_parse_ex(tokener, text, len + 1);
	json_tokener_free(tokener);
	return root;
}

/* Read one value as strictly as this json-c can; NULL: it is no JSON. */
static struct json_object *read_json(const struct strbuf *text)
{
	static const char beyond_ascii[] = "[\"\u00e9\"]";
	static int flags;

	/* In json-c 0.18, JSON_TOKENER_STRICT refuses all characters beyond ASCII. */
	if (!flags) {
		struct json_object *array = read_json_as(beyond_ascii, sizeof(beyond_ascii) - 1,
							 JSON_TOKENER_STRICT);

		flags = JSON_TOKENER_VALIDATE_UTF8 | (array ? JSON_TOKENER_STRICT : 0);
		json_object_put(array);
	}
	return read_json_as(text->data, text->len, flags);
}

static void add_example(struct json_writer *json)
{
	json_begin_object(json, NULL);
	json_add_text(json, "text", "a");
	json_add_null(json, "nothing");
	json_begin_array(json, "numbers");
	json_add_unsigned(json, NULL, UINT64_MAX);
	json_add_signed(json, NULL, INT64_MIN);
	json_add_double(json, NULL, 0.5);
	json_add_bool(json, NULL, true);
	json_end_array(json);
	json_begin_object(json, "empty");
	json_end_object(json);
	json_begin_array(json, "rows");
	for (int i = 0; i < 2; i++) {
		json_begin_row(json, NULL);
		json_add_unsigned(json, "i", i);
		json_begin_array(json, "inside");
		json_begin_row(json, NULL);
		json_end_object(json);
		json_add_bool(json, NULL, false);
		json_end_array(json);
		json_end_object(json);
	}
	json_end_array(json);
	json_add_text(json, "last", NULL);
	json_end_object(json);
	json_end(json);
}

static const char example[] =
	"{\n"
	"  \"text\": \"a\",\n"
	"  \"nothing\": null,\n"
	"  \"numbers\": [\n"
	"    18446744073709551615,\n"
	"    -9223372036854775808,\n"
	"    0.5,\n"
	"    true\n"
	"  ],\n"
	"  \"empty\": {},\n"
	"  \"rows\": [\n"
	"    {\"i\": 0, \"inside\": [{}, false]},\n"
	"    {\"i\": 1, \"inside\": [{}, false]}\n"
	"  ],\n"
	"  \"last\": null\n"
	"}\n";

TEST(test_layout)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct json_writer json = { .out = &text };

	add_example(&json);
	is_str(strbuf_str(&text), example, "values are on lines of their own, except in rows");
	add_example(&json);
	ok(text.len == 2 * strlen(example) && !strcmp(text.data + strlen(example), example),
	   "a second outermost value follows without a comma");
}

/* The text may be written out between any two values. */
TEST(test_pieces)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT, whole = STRBUF_INIT;
	struct json_writer json = { .out = &text };

	json_begin_array(&json, NULL);
	for (int i = 0; i < 3; i++) {
		json_add_unsigned(&json, NULL, i);
		strbuf_addstr(&whole, strbuf_str(&text));
		strbuf_reset(&text);
	}
	json_end_array(&json);
	strbuf_addstr(&whole, strbuf_str(&text));
	is_str(strbuf_str(&whole), "[\n  0,\n  1,\n  2\n]",
	       "the written text can be removed at any time");
}

/* The value that json-c reads for @bytes as a text. */
static struct json_object *read_back(const char *bytes, size_t len, struct strbuf *text)
{
	struct json_writer json = { .out = text };

	json_begin_array(&json, NULL);
	json_add_bytes(&json, NULL, bytes, len);
	json_end_array(&json);
	return read_json(text);
}

static bool is_read_as(const char *bytes, size_t len, const char *want, size_t want_len)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct json_object *array = read_back(bytes, len, &text), *value;
	bool same;

	if (!array)
		return false;
	value = json_object_array_get_idx(array, 0);
	same = (size_t)json_object_get_string_len(value) == want_len &&
	       !memcmp(json_object_get_string(value), want, want_len);
	json_object_put(array);
	return same;
}

#define REPLACEMENT "\xef\xbf\xbd"

TEST(test_every_byte)
{
	int wrong = -1, raw = -1;

	for (int i = 0; i < 256; i++) {
		char byte = i, text[] = { 'a', byte, 'b' };
		const char *want = i < 0x80 ? text : "a" REPLACEMENT "b";
		_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;

		if (!is_read_as(text, 3, want, i < 0x80 ? 3 : 5))
			wrong = i;
		json_object_put(read_back(text, 3, &out));
		for (size_t k = 4; k < out.len; k++)
			if ((unsigned char)out.data[k] >= 0x7f ||
			    ((unsigned char)out.data[k] < 0x20 && out.data[k] != '\n'))
				raw = i;
	}
	ok(wrong < 0, "each of the 256 bytes is read back, or as U+FFFD if it is no UTF-8 (%d)",
	   wrong);
	ok(raw < 0, "no control character and no lone byte is written unchanged (%d)", raw);
}

static size_t encode(uint32_t c, char text[4])
{
	size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = size; i-- > 1; c >>= 6)
		text[i] = 0x80 | (c & 0x3f);
	text[0] = first[size] | c;
	return size;
}

TEST(test_every_character)
{
	uint32_t wrong = 0;
	char text[4];

	for (uint32_t c = 1; c < 0x110000; c += c < 0x3000 ? 1 : 61) {
		size_t size = encode(c, text);
		bool surrogate = c >= 0xd800 && c < 0xe000;

		if (!surrogate && !is_read_as(text, size, text, size))
			wrong = c;
		if (surrogate && !is_read_as(text, 3, REPLACEMENT REPLACEMENT REPLACEMENT, 9))
			wrong = c;
	}
	ok(!wrong, "characters are read back, and surrogates are no characters (U+%04X)", wrong);
}

TEST(test_damaged_characters)
{
	static const char *const damaged[] = {
		"\xc0\xaf", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xf0\x80\x80\x80",
		"\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff", "\xe2\x82",
		"\xf0\x9f\x98", "\xc3",
	};
	size_t wrong = 0;

	for (size_t i = 0; i < ARRAY_SIZE(damaged); i++) {
		_cleanup_(strbuf) struct strbuf want = STRBUF_INIT;
		size_t len = strlen(damaged[i]);

		for (size_t k = 0; k < len; k++)
			strbuf_addstr(&want, REPLACEMENT);
		if (!is_read_as(damaged[i], len, want.data, want.len))
			wrong = i + 1;
	}
	is_u64(wrong, 0, "overlong, cut and too large characters are replaced, byte by byte");
	ok(is_read_as("\xc3(", 2, REPLACEMENT "(", 4), "text behind a damaged character stays");
}

TEST(test_names)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct json_writer json = { .out = &text };
	struct json_object *root, *value;

	json_begin_object(&json, NULL);
	json_add_unsigned(&json, "a\"\\\n\x1b", 1);
	json_end_object(&json);
	root = read_json(&text);
	ok(root && json_object_object_get_ex(root, "a\"\\\n\x1b", &value),
	   "names of members are escaped, too");
	json_object_put(root);
}

TEST(test_doubles)
{
	static const struct { double number; const char *text; } cases[] = {
		{ 0, "0.0" }, { -0.0, "-0.0" }, { 1, "1.0" }, { 0.1, "0.1" }, { -2.5, "-2.5" },
		{ 1e22, "1e+22" }, { 123456789012345, "123456789012345.0" },
		{ INFINITY, "null" }, { -INFINITY, "null" }, { NAN, "null" },
	};
	size_t wrong = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
		struct json_writer json = { .out = &text };

		json_add_double(&json, NULL, cases[i].number);
		if (strcmp(strbuf_str(&text), cases[i].text))
			wrong = i + 1;
	}
	is_u64(wrong, 0, "numbers have the digits that they need, and always a '.' or an 'e'");
	srand(1);
	for (int i = 0; i < 100000 && !wrong; i++) {
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
		struct json_writer json = { .out = &text };
		uint64_t bits = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ rand();
		double number;

		memcpy(&number, &bits, sizeof(number));
		if (!isfinite(number))
			continue;
		json_add_double(&json, NULL, number);
		wrong = strtod(text.data, NULL) != number;
	}
	is_u64(wrong, 0, "every number is read back as itself");
}

TAP_MAIN
