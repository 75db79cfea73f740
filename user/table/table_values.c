// SPDX-License-Identifier: GPL-2.0
#include "table/table_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns/dictionary.h"
#include "lib/array.h"
#include "record/record.h"

struct value_column {
	char *name;
	enum table_type type;
	enum column_type column_type;
	struct dictionary *texts;	/* TABLE_TEXT */
	ARRAY_OF(uint64_t) values;	/* numbers, bits of a double, or numbers of texts */
};

struct value_taker {
	struct table_sink sink;
	ARRAY_OF(struct value_column) columns;
	ARRAY_OF(bool) missing;
	size_t nr_rows;
	bool failed;			/* memory is out */
};

static void value_taker_deinit(struct value_taker *taker)
{
	for (size_t i = 0; i < taker->columns.nr; i++) {
		free(taker->columns.items[i].name);
		free(taker->columns.items[i].values.items);
		dictionary_destroy(taker->columns.items[i].texts);
	}
	free(taker->columns.items);
	free(taker->missing.items);
}
DEFINE_CLEANUP(value_taker, struct value_taker, value_taker_deinit)

static void value_take_column(struct table_sink *sink, const struct table_column *column,
			      const char *name)
{
	struct value_taker *taker = container_of(sink, struct value_taker, sink);
	struct value_column made = {
		.name = strdup(name), .type = column->type,
		.column_type = column->type == TABLE_TEXT ? COLUMN_TEXT :
			       column->type == TABLE_FLOAT ? COLUMN_FLOAT :
			       column->unit == TABLE_TIME ? COLUMN_TIME : COLUMN_INTEGER,
	};

	if (column->type == TABLE_TEXT && dictionary_create(&made.texts))
		taker->failed = true;
	if (array_push(&taker->columns, made))
		return;
	free(made.name);
	dictionary_destroy(made.texts);
	taker->failed = true;
}

static uint64_t value_number(struct value_column *column, const struct table_value *value)
{
	double real = value->missing ? NAN : value->real;
	uint64_t number;

	switch (column->type) {
	case TABLE_TEXT:
		return dictionary_number(column->texts, strbuf_str(value->text), value->text->len);
	case TABLE_FLOAT:
		memcpy(&number, &real, sizeof(number));
		return number;
	case TABLE_SIGNED:
		return value->missing ? UINT64_MAX : (uint64_t)value->integer;
	case TABLE_UNSIGNED:
		break;
	}
	return value->number;
}

static void value_take(struct table_sink *sink, size_t at, const struct table_value *value)
{
	struct value_taker *taker = container_of(sink, struct value_taker, sink);
	struct value_column *column = &taker->columns.items[at];

	/* If memory is out, the column may not exist. */
	if (taker->failed)
		return;
	taker->failed = !array_push(&column->values, value_number(column, value)) ||
			!array_push(&taker->missing, value->missing);
}

static void value_end_row(struct table_sink *sink)
{
	container_of(sink, struct value_taker, sink)->nr_rows++;
}

static struct error *value_column_finish(struct value_column *from, struct column *ret)
{
	uint64_t *values = take_ptr(from->values.items);

	*ret = (struct column){
		.name = take_ptr(from->name), .type = from->column_type,
		.size = from->type == TABLE_TEXT ? sizeof(int32_t) : sizeof(int64_t),
		.is_signed = true,
		/* No array is NULL. */
		.values = values ? values : calloc(1, sizeof(*values)),
	};
	if (!ret->name || !ret->values)
		return &error_no_memory;
	if (from->type != TABLE_TEXT)
		return NULL;
	for (size_t i = 0; i < from->values.nr; i++) {
		int32_t number = values[i];

		if (number < 0)
			return &error_no_memory;
		memcpy((char *)ret->values + i * sizeof(number), &number, sizeof(number));
	}
	return dictionary_copy(from->texts, &ret->strings);
}

static struct error *value_taker_finish(struct value_taker *taker, struct table_values *ret)
{
	struct table_values values = { .missing = take_ptr(taker->missing.items) };
	struct error *err = taker->failed ? &error_no_memory : NULL;

	values.batch.nr_rows = taker->nr_rows;
	values.batch.columns = calloc(taker->columns.nr + 1, sizeof(*values.batch.columns));
	if (!values.batch.columns)
		err = &error_no_memory;
	for (size_t i = 0; i < taker->columns.nr && !err; i++) {
		err = value_column_finish(&taker->columns.items[i], &values.batch.columns[i]);
		values.batch.nr_columns++;
	}
	if (err)
		table_values_deinit(&values);
	else
		*ret = values;
	return err;
}

struct error *table_values_take(struct table_maker *maker, struct table_values *ret)
{
	_cleanup_(value_taker) struct value_taker taker = {
		.sink = { value_take_column, value_take, value_end_row },
	};
	const struct table_output output = {
		.format = TABLE_AS_VALUES, .sink = &taker.sink,
	};
	_cleanup_(strbuf) struct strbuf unused = STRBUF_INIT;
	struct error *err = maker->provider->add(maker, &output, &unused);

	taker.failed |= unused.failed;
	return err ? err : value_taker_finish(&taker, ret);
}

void table_values_deinit(struct table_values *values)
{
	batch_deinit(&values->batch);
	free(values->missing);
	values->missing = NULL;
}
