// SPDX-License-Identifier: GPL-2.0
/* Each table of tables.def has columns in every form, and names the events that it needs. */
#include <errno.h>
#include <string.h>

#include "columns/columns.h"
#include "record/event.h"
#include "session/session.h"
#include "table/table_values.h"
#include "table/tables.h"
#include "tap.h"

static const struct event_list no_events;
static const struct table_source nothing = { .events = &no_events };

/* Whether names are those of columns in SQL and Python: no two are the same. */
static bool names_are_unique(const struct batch *batch)
{
	for (size_t i = 0; i < batch->nr_columns; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(batch->columns[i].name, batch->columns[k].name))
				return false;
	return batch->nr_columns;
}

/* The names of the columns as CSV has them. */
static void names_add(const struct batch *batch, struct strbuf *out)
{
	for (size_t i = 0; i < batch->nr_columns; i++)
		strbuf_addf(out, "%s%s", i ? "," : "", batch->columns[i].name);
	strbuf_addch(out, '\n');
}

static void test_columns(const struct table_row *row)
{
	const struct table_output csv = { .format = TABLE_AS_CSV };
	_cleanup_(table_values) struct table_values values = { 0 };
	_cleanup_(table_maker) struct table_maker *maker = NULL, *again = NULL;
	_cleanup_(strbuf) struct strbuf printed = STRBUF_INIT, names = STRBUF_INIT;
	struct error *err = table_maker_create(row->provider, &nothing, &maker);

	if (!err)
		err = table_values_take(maker, &values);
	if (!err)
		err = table_maker_create(row->provider, &nothing, &again);
	if (!err)
		err = row->provider->add(again, &csv, &printed);
	ok(!err, "%s is made without a recording", row->name);
	names_add(&values.batch, &names);
	ok(!strncmp(strbuf_str(&printed), strbuf_str(&names), names.len),
	   "%s has the same columns as values and as CSV", row->name);
	ok(names_are_unique(&values.batch), "%s has columns, and no two of a name", row->name);
	error_free(err);
}

/* Readings of /proc/schedstat come without any event, so a recording that has one has none. */
static void test_check(const struct table_row *row)
{
	struct event *items[1] = { NULL };
	const struct event_list other = { .items = items, .nr = 1 };
	struct error *err = row->provider->check(row->provider, strcmp(row->name, "sched_stats") ?
						 &no_events : &other);

	ok(err && err->code == ENODATA && err->hint && strstr(err->hint, "record"),
	   "%s names the missing event, and how it is recorded", row->name);
	error_free(err);
}

static void test_find(void)
{
	const struct table_row *row;
	struct error *err = table_find("sched_latency", &row);

	ok(!err && !strcmp(row->name, "sched_latency"), "a table is found by its name");
	err = table_find("sched_latenzy", &row);
	ok(err && strstr(err->hint, "'sched_latency'"), "a name that is nearly right is suggested");
	error_free(err);
	err = table_find("", &row);
	ok(err && err->code == ENOENT, "a table that does not exist is an error");
	error_free(err);
}

/* ---- values -------------------------------------------------------------- */

struct toy {
	const char *name;
	uint64_t ns, count;
	int32_t tid;
	double share;
};

static const struct toy toys[] = {
	{ "a", UINT64_C(1) << 40, 3, 7, 0.5 }, { NULL, 0, 4, -1, 1e300 * 1e10 }, { "a", 5, 6, 8, -1 },
};

static void toy_get_share(const struct table_cell *cell, struct table_value *ret)
{
	ret->real = ((const struct toy *)cell->row)->share;
}

static void toy_get_tid(const struct table_cell *cell, struct table_value *ret)
{
	ret->integer = ((const struct toy *)cell->row)->tid;
	ret->missing = ret->integer < 0;
}

static const struct table_column toy_columns[] = {
	{ .name = "name", TABLE_MEMBER(struct toy, name), .heading = "Name" },
	{ .heading = "only text" },
	{ .name = "seen", .unit = TABLE_TIME, .type = TABLE_UNSIGNED, TABLE_MEMBER(struct toy, ns) },
	{ .name = "count", .unit = TABLE_COUNT, .type = TABLE_UNSIGNED,
	  TABLE_MEMBER(struct toy, count) },
	{ .name = "tid", .type = TABLE_SIGNED, .value = toy_get_tid },
	{ .name = "share", .unit = TABLE_PERCENT, .type = TABLE_FLOAT, .value = toy_get_share },
};

static struct error *toy_add(struct table_maker *maker, const struct table_output *output,
			     struct strbuf *out)
{
	const struct table table = {
		.name = "toys", .columns = toy_columns,
		.nr = sizeof(toy_columns) / sizeof(*toy_columns),
	};
	struct table_printer printer;

	table_begin(&printer, &table, output, out);
	for (size_t i = 0; i < sizeof(toys) / sizeof(*toys); i++)
		table_add_row(&printer, &toys[i]);
	table_end(&printer);
	return NULL;
}

enum { TOY_NAME, TOY_SEEN, TOY_COUNT, TOY_TID, TOY_SHARE, TOY_COLUMNS };

static void test_values(void)
{
	static const struct table_provider provider = { .add = toy_add };
	struct table_maker maker = { .provider = &provider };
	_cleanup_(table_values) struct table_values values = { 0 };
	struct error *err = table_values_take(&maker, &values);
	const struct column *columns = values.batch.columns;
	const int32_t *names = err ? NULL : columns[TOY_NAME].values;

	if (!ok(!err && values.batch.nr_columns == TOY_COLUMNS && values.batch.nr_rows == 3,
		"columns of text alone give no values"))
		return;
	ok(names[0] == names[2] && names[0] != names[1] && columns[TOY_NAME].strings.nr == 2,
	   "texts are numbers of a dictionary, and an unknown one is empty");
	ok(columns[TOY_SEEN].type == COLUMN_TIME && !strcmp(columns[TOY_SEEN].name, "seen_ns") &&
	   *(const int64_t *)columns[TOY_SEEN].values == INT64_C(1) << 40, "instants are times");
	is_u64(((const int64_t *)columns[TOY_COUNT].values)[2], 6, "counts are integers");
	is_u64(((const int64_t *)columns[TOY_TID].values)[1], (uint64_t)-1, "an unknown number is -1");
	ok(((const double *)columns[TOY_SHARE].values)[2] == -1 &&
	   ((const double *)columns[TOY_SHARE].values)[1] != ((const double *)
	   columns[TOY_SHARE].values)[1], "a value that is no finite number is none");
	ok(table_value_is_missing(&values, 1, TOY_NAME) &&
	   table_value_is_missing(&values, 1, TOY_TID) &&
	   table_value_is_missing(&values, 1, TOY_SHARE) &&
	   !table_value_is_missing(&values, 1, TOY_COUNT) &&
	   !table_value_is_missing(&values, 2, TOY_NAME), "values that are missing are known");
}

int main(void)
{
	for (const struct table_row *row = tables_of_topics; row->name; row++) {
		test_columns(row);
		test_check(row);
	}
	test_find();
	test_values();
	return tap_done();
}
