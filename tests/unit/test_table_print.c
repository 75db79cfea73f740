// SPDX-License-Identifier: GPL-2.0
/* A table that is described once is text, CSV and JSON. */
#include <json-c/json.h>
#include <math.h>
#include <stddef.h>

#include "lib/array.h"
#include "table/print/table_print.h"
#include "tap.h"

struct toy {
	const char *name;
	uint64_t address, ns, bytes;
	int32_t tid;
	double share;
};

static void toy_get_share(const struct table_cell *cell, struct table_value *ret)
{
	const struct toy *toy = cell->row;

	ret->real = toy->share * *(const double *)cell->table->data;
}

static void toy_add_both(const struct table_cell *cell, struct strbuf *out)
{
	const struct toy *toy = cell->row;

	strbuf_addf(out, "%d.%d", toy->tid, cell->column->key);
}

static const struct table_column toy_columns[] = {
	{ .name = "name", TABLE_MEMBER(struct toy, name), .heading = "Name", .width = -6, .cut = 5 },
	{ .name = "tid", .type = TABLE_SIGNED, TABLE_MEMBER(struct toy, tid),
	  .heading = "Tid", .width = -4, .form = TABLE_ZEROES },
	{ .add_text = toy_add_both, .key = 9, .between = "/", .width = -4 },
	{ .name = "address", .value = table_get_address, TABLE_MEMBER(struct toy, address),
	  .data_only = true },
	{ .name = "wait", .unit = TABLE_NS, .type = TABLE_UNSIGNED,
	  TABLE_MEMBER(struct toy, ns), .heading = "Wait", .width = 9, .behind = " ms",
	  .divisor = 1e6, .decimals = 1 },
	{ .name = "size", .unit = TABLE_BYTES, .type = TABLE_UNSIGNED,
	  TABLE_MEMBER(struct toy, bytes), .heading = "KB", .width = 3, .divisor = 1024 },
	{ .name = "share", .unit = TABLE_PERCENT, .type = TABLE_FLOAT, .value = toy_get_share,
	  .heading = "Share", .width = -7, .behind = "%", .decimals = 2 },
};

static const struct toy toys[] = {
	{ "plain", 0xffffffff81000000, 1250000, 2047, 7, 12.5 },
	{ "a \"b\", c\nd", 1, UINT64_MAX, 0, -1, 0.1 },
	{ NULL, 0, 0, 1024, INT32_MIN, NAN },
	{ "=1+1", 0, 49999, 0, 0, 1e300 * 1e10 },
};

static void toy_table_add(struct table_output output, size_t nr, struct strbuf *out)
{
	const double factor = 1;
	const struct table table = {
		.name = "toys", .columns = toy_columns, .nr = ARRAY_SIZE(toy_columns),
		.data = &factor, .left = "[", .between = " | ", .heading_right = "",
		.right = "]",
	};
	struct table_printer printer;

	table_add_rule(&output, " ", 5, out);
	table_begin(&printer, &table, &output, out);
	for (size_t i = 0; i < nr; i++)
		table_add_row(&printer, &toys[i]);
	table_add_more(&printer);
	table_end(&printer);
}

TEST(test_text)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	toy_table_add((struct table_output){ .format = TABLE_AS_TEXT, .lost = 3 }, 4, &text);
	is_str(strbuf_str(&text),
	       " -----\n"
	       "[Name   | Tid  |      Wait |  KB | Share\n"
	       "[plain  | 0007/7.9  |    1.2 ms |   1 |  12.50%]\n"
	       "[a \"b\"  | -001/-1.9 | 18446744073709.6 ms |   0 |   0.10%]\n"
	       "[       | -2147483648/-2147483648.9 |    0.0 ms |   1 |        ]\n"
	       "[=1+1   | 0000/0.9  |    0.0 ms |   0 |        ]\n"
	       "[...    | ...  | ...       | ... | ...    ]\n",
	       "text has headings, widths, rounded numbers, and blanks for a value that is no number");
}

TEST(test_csv)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	toy_table_add((struct table_output){ .format = TABLE_AS_CSV, .lost = 3 }, 4, &text);
	is_str(strbuf_str(&text),
	       "name,tid,address,wait_ns,size_bytes,share_percent\n"
	       "plain,7,0xffffffff81000000,1250000,2047,12.5\n"
	       "\"a \"\"b\"\", c\nd\",-1,0x1,18446744073709551615,0,0.1\n"
	       ",-2147483648,0,0,1024,\n"
	       "'=1+1,0,0,49999,0,\n",
	       "CSV has names with units, exact numbers, quotes, and nothing for a value that is no number");
	strbuf_reset(&text);
	toy_table_add((struct table_output){ .format = TABLE_AS_CSV }, 0, &text);
	is_str(strbuf_str(&text), "name,tid,address,wait_ns,size_bytes,share_percent\n",
	       "CSV of an empty table has its names");
	strbuf_reset(&text);
	toy_table_add((struct table_output){ .format = TABLE_AS_CSV, .separator = ' ' }, 1, &text);
	is_str(strbuf_str(&text),
	       "name tid address wait_ns size_bytes share_percent\n"
	       "plain 7 0xffffffff81000000 1250000 2047 12.5\n", "CSV has another separator");
}

static const char *member_text(struct json_object *object, const char *name)
{
	const char *text = json_object_get_string(json_object_object_get(object, name));

	return text ? text : "null";
}

TEST(test_json)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct json_object *root, *columns, *rows;

	toy_table_add((struct table_output){ .format = TABLE_AS_JSON, .lost = 3 }, 4, &text);
	root = json_tokener_parse(strbuf_str(&text));
	columns = json_object_object_get(root, "columns");
	rows = json_object_object_get(root, "rows");
	is_str(member_text(root, "schema"), "1", "JSON says its schema");
	is_str(member_text(root, "table"), "toys", "JSON says the name of the table");
	is_str(member_text(root, "exact"), "false", "a table with losses is not exact");
	is_str(member_text(root, "lost"), "3", "JSON says how many records were lost");
	is_u64(json_object_array_length(columns), 6, "JSON describes the columns with a name");
	is_str(json_object_to_json_string_ext(json_object_array_get_idx(columns, 3), 0),
	       "{\"name\":\"wait_ns\",\"unit\":\"ns\",\"type\":\"unsigned\"}",
	       "a column has its name, unit and type");
	is_str(member_text(json_object_array_get_idx(columns, 0), "unit"), "null",
	       "a name has no unit");
	is_str(member_text(json_object_array_get_idx(rows, 1), "name"), "a \"b\", c\nd",
	       "JSON has a name unchanged");
	is_str(member_text(json_object_array_get_idx(rows, 1), "tid"), "-1",
	       "JSON has the sign of a number");
	is_str(member_text(json_object_array_get_idx(rows, 2), "name"), "null",
	       "a missing value is null");
	is_str(member_text(json_object_array_get_idx(rows, 2), "share_percent"), "null",
	       "a value that is no number is null");
	is_str(member_text(json_object_array_get_idx(rows, 3), "share_percent"), "null",
	       "infinity is null");
	json_object_put(root);
}

TEST(test_empty_json)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct json_object *root;

	toy_table_add((struct table_output){ .format = TABLE_AS_JSON }, 0, &text);
	root = json_tokener_parse(strbuf_str(&text));
	is_str(member_text(root, "exact"), "true", "a table without losses is exact");
	is_u64(json_object_array_length(json_object_object_get(root, "rows")), 0,
	       "an empty table has an empty list of rows");
	json_object_put(root);
	strbuf_reset(&text);
	toy_table_add((struct table_output){ .format = TABLE_AS_JSON, .damaged = true }, 0, &text);
	root = json_tokener_parse(strbuf_str(&text));
	is_str(member_text(root, "exact"), "false", "a table without damaged samples is not exact");
	json_object_put(root);
}

TAP_MAIN
