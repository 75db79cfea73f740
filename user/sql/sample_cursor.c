// SPDX-License-Identifier: GPL-2.0
#include "sql/sample_cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "session/machine.h"
#include "sql/column_value.h"
#include "sql/interruption.h"
#include "sql/sample_counts.h"
#include "table/samples/reader_machine.h"

/* Number of rows of a batch. */
#define BATCH_ROWS	32768

/* The columns that distinguish rows. */
static const char *const key_columns[] = { "_time", "_cpu", "_tid" };

struct sample_cursor *sample_cursor_create(const struct sample_table *table)
{
	struct sample_cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return NULL;
	cursor->table = table;
	cursor->values = calloc(table->columns.nr + 1, sizeof(*cursor->values));
	cursor->names = calloc(table->columns.nr + 1 + ARRAY_SIZE(key_columns),
			       sizeof(*cursor->names));
	if (cursor->values && cursor->names)
		return cursor;
	sample_cursor_destroy(cursor);
	return NULL;
}

static void free_numbers(struct sample_cursor *cursor)
{
	size_t nr = reader_events(cursor->table->tables->reader)->nr;

	for (size_t i = 0; i < nr && cursor->grouped.numbers; i++)
		free(cursor->grouped.numbers[i].items);
	free(cursor->grouped.numbers);
	cursor->grouped.numbers = NULL;
}

static void cursor_stop(struct sample_cursor *cursor)
{
	if (cursor->started)
		column_scan_deinit(&cursor->scan);
	cursor->started = false;
	batch_deinit(&cursor->batch);
	row_ids_deinit(&cursor->ids);
	machine_destroy(take_ptr(cursor->machine));
	reader_close(take_ptr(cursor->reader));
	cpumap_deinit(&cursor->cpus);
	free_numbers(cursor);
	free(cursor->grouped.counts);
	free(cursor->grouped.order);
	cursor->grouped.counts = NULL;
	cursor->grouped.order = NULL;
}

void sample_cursor_destroy(struct sample_cursor *cursor)
{
	cursor_stop(cursor);
	free(cursor->values);
	free(cursor->names);
	free(cursor);
}

static bool is_used(uint64_t used, size_t at)
{
	return used >> (at < 63 ? at : 63) & 1;
}

static bool is_chosen(const struct sample_cursor *cursor, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(cursor->names[i], name))
			return true;
	return false;
}

/* Whether the table's event, or any event, has samples with a column. */
static bool table_has_key(const struct sample_table *table, const char *name)
{
	const struct event_list *events = reader_events(table->tables->reader);

	return table->all || columns_are_sampled(events->items[table->event], name);
}

/* Choose the columns to create.  At least one is needed, so that rows can be counted. */
static size_t choose_columns(struct sample_cursor *cursor, uint64_t used, bool *ret_places)
{
	const struct sample_table *table = cursor->table;
	size_t nr = 0;

	*ret_places = false;
	for (size_t i = 0; i < table->columns.nr; i++) {
		const char *name = table->columns.items[i].name;

		if (!is_used(used, i) || !strcmp(name, "_event"))
			continue;
		cursor->names[nr++] = name;
		*ret_places = *ret_places || columns_is_place(name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(key_columns); i++)
		if (table_has_key(table, key_columns[i]) &&
		    !is_chosen(cursor, nr, key_columns[i]))
			cursor->names[nr++] = key_columns[i];
	if (!nr)
		cursor->names[nr++] = table->all ? "_time" : table->columns.items[0].name;
	return nr;
}

static struct error *narrow_reader(struct sample_cursor *cursor, const struct sample_scope *scope)
{
	struct record_scope narrow = {
		.times = &scope->times, .nr_times = scope->times.start || scope->times.end,
		.events = cursor->table->all ? ~0ULL : 1ULL << cursor->table->event % 64,
	};

	if (scope->has_cpu) {
		char text[16];
		struct error *err;

		snprintf(text, sizeof(text), "%u", scope->cpu);
		err = cpumap_parse(text, &cursor->cpus);
		if (err)
			return err;
		narrow.cpus = &cursor->cpus;
	}
	return reader_narrow(cursor->reader, &narrow);
}

struct error *sample_cursor_start(struct sample_cursor *cursor, uint64_t used,
				  const struct sample_scope *scope)
{
	static const struct symbol_options symbols;
	const struct sample_table *table = cursor->table;
	struct column_scan_options options = { .rows = BATCH_ROWS };
	struct error *err;
	bool places, any;

	cursor_stop(cursor);
	cursor->row = cursor->number = cursor->next_rest = 0;
	cursor->read = cursor->ended = false;
	err = sample_tables_open(table->tables, &cursor->reader);
	if (err)
		return err;
	if (!table->all)
		options.event = reader_events(table->tables->reader)->items[table->event]->name;
	/* An event need not have sampled the same in each of several recordings. */
	options.lenient = table->all || reader_joined(cursor->reader);
	options.names = cursor->names;
	options.nr_names = choose_columns(cursor, used, &places);
	column_scan_init(&cursor->scan, cursor->reader, &options);
	cursor->started = true;
	err = row_ids_init(&cursor->ids, reader_events(table->tables->reader)->nr);
	if (!err)
		err = narrow_reader(cursor, scope);
	if (!err && places)
		err = reader_machine_create(cursor->reader, &symbols, &cursor->machine);
	if (!err)
		err = column_scan_prepare(&cursor->scan, &any);
	if (!err && column_scan_needs_session(&cursor->scan))
		err = column_scan_start_session(&cursor->scan, cursor->machine);
	return err ? err : sample_cursor_next(cursor);
}

/* Find where the table's columns are in a new batch. */
static void find_values(struct sample_cursor *cursor)
{
	for (size_t i = 0; i < cursor->table->columns.nr; i++)
		cursor->values[i] = batch_column(&cursor->batch,
						 cursor->table->columns.items[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(key_columns); i++)
		cursor->keys[i] = batch_column(&cursor->batch, key_columns[i]);
	cursor->row = 0;
}

static struct error *take_batch(struct sample_cursor *cursor, struct columns *columns)
{
	struct error *err;

	batch_deinit(&cursor->batch);
	err = columns_take(columns, &cursor->batch);
	/* Names come from the tables' reader, which has read no records. */
	if (!err)
		err = event_check_known(cursor->batch.event,
					reader_events(cursor->table->tables->reader)->nr);
	if (!err)
		find_values(cursor);
	return err;
}

/* Get a full batch; after the last record, the remaining rows of an event. */
static struct error *next_batch(struct sample_cursor *cursor)
{
	struct column_scan *scan = &cursor->scan;
	struct error *err = NULL;
	bool more = true;

	while (!cursor->read && !scan->full && !err) {
		err = column_scan_step(scan, &more);
		cursor->read = !more;
		if (!err)
			err = sql_interruption();
	}
	if (err)
		return err;
	if (scan->full) {
		const struct event *full = scan->full;

		scan->full = NULL;
		return take_batch(cursor, column_scan_columns(scan, full));
	}
	while (cursor->next_rest < scan->nr) {
		struct columns *columns = scan->items[cursor->next_rest++];

		if (columns && columns_rows(columns))
			return take_batch(cursor, columns);
	}
	cursor->ended = true;
	return NULL;
}

DEFINE_COMPARISON(event_names_ascend, struct event *, strcmp((*x)->name, (*y)->name))

static int event_names_descend(const void *a, const void *b)
{
	return event_names_ascend(b, a);
}

static void next_group(struct sample_cursor *cursor)
{
	size_t nr = reader_events(cursor->table->tables->reader)->nr;

	while (!cursor->grouped.left && ++cursor->grouped.event < nr)
		cursor->grouped.left =
			cursor->grouped.counts[cursor->grouped.order[cursor->grouped.event]->index];
	cursor->ended = !cursor->grouped.left;
}

struct error *sample_cursor_start_grouped(struct sample_cursor *cursor, bool down)
{
	const struct event_list *events = reader_events(cursor->table->tables->reader);
	struct error *err;

	cursor_stop(cursor);
	cursor->grouped.order = calloc(events->nr + 1, sizeof(*cursor->grouped.order));
	if (!cursor->grouped.order)
		return &error_no_memory;
	err = sample_tables_open(cursor->table->tables, &cursor->reader);
	if (!err)
		err = sample_counts_read(cursor->reader, &cursor->grouped.counts);
	if (err)
		return err;
	for (size_t i = 0; i < events->nr; i++)
		cursor->grouped.order[i] = events->items[i];
	qsort(cursor->grouped.order, events->nr, sizeof(*cursor->grouped.order),
	      down ? event_names_descend : event_names_ascend);
	cursor->grouped.event = 0;
	cursor->grouped.left = events->nr ?
		cursor->grouped.counts[cursor->grouped.order[0]->index] : 0;
	next_group(cursor);
	return NULL;
}

/* Samples without times are always all read, in one order. */
static void number_row(struct sample_cursor *cursor)
{
	const struct column *const *keys = cursor->keys;
	struct row_key key = { .event = cursor->batch.event->index };

	if (!keys[0]) {
		cursor->number++;
		return;
	}
	key.time = column_integer(keys[0], cursor->row);
	if (keys[1])
		key.cpu = column_integer(keys[1], cursor->row);
	if (keys[2])
		key.tid = column_integer(keys[2], cursor->row);
	cursor->number = row_ids_next(&cursor->ids, &key);
}

struct error *sample_cursor_next(struct sample_cursor *cursor)
{
	struct error *err = NULL;

	if (cursor->grouped.counts) {
		if (!--cursor->grouped.left)
			next_group(cursor);
		return NULL;
	}
	cursor->row++;
	while (!err && !cursor->ended && cursor->row >= cursor->batch.nr_rows)
		err = next_batch(cursor);
	if (!err && !cursor->ended)
		number_row(cursor);
	return err;
}

static struct error *read_numbers(struct sample_cursor *cursor)
{
	const struct sample_scope everything = { .has_cpu = false };
	size_t nr = reader_events(cursor->table->tables->reader)->nr;
	struct sample_cursor *scan;
	struct error *err;

	cursor->grouped.numbers = calloc(nr + 1, sizeof(*cursor->grouped.numbers));
	scan = sample_cursor_create(cursor->table);
	if (!cursor->grouped.numbers || !scan) {
		if (scan)
			sample_cursor_destroy(scan);
		return &error_no_memory;
	}
	for (err = sample_cursor_start(scan, 0, &everything); !err && !scan->ended;
	     err = sample_cursor_next(scan))
		if (!array_push(&cursor->grouped.numbers[scan->batch.event->index], scan->number)) {
			err = &error_no_memory;
			break;
		}
	sample_cursor_destroy(scan);
	return err;
}

struct error *sample_cursor_number(struct sample_cursor *cursor, int64_t *ret)
{
	const struct row_numbers *numbers;
	struct error *err = NULL;

	*ret = cursor->number;
	if (!cursor->grouped.counts)
		return NULL;
	if (!cursor->grouped.numbers)
		err = read_numbers(cursor);
	if (err) {
		free_numbers(cursor);
		return err;
	}
	numbers = &cursor->grouped.numbers[cursor->grouped.order[cursor->grouped.event]->index];
	if (cursor->grouped.left > numbers->nr)
		return error_new(ESTALE, "%s was replaced while it was read",
				 cursor->table->tables->paths[0]);
	*ret = numbers->items[cursor->grouped.left - 1];
	return NULL;
}

/* SQLite keeps the name beyond the scan, so it is that of the reader which outlives all scans. */
static void event_name_value(const struct sample_cursor *cursor, sqlite3_context *context)
{
	const struct event_list *events = reader_events(cursor->table->tables->reader);
	const struct event *event = cursor->batch.event;

	if (cursor->grouped.counts)
		event = cursor->grouped.order[cursor->grouped.event];

	sqlite3_result_text(context, events->items[event->index]->name, -1,
			    SQLITE_STATIC);
}

void sample_cursor_value(const struct sample_cursor *cursor, int at, sqlite3_context *context)
{
	const struct column *column = cursor->grouped.counts ? NULL : cursor->values[at];

	if (!column) {
		if (!strcmp(cursor->table->columns.items[at].name, "_event"))
			event_name_value(cursor, context);
		return;
	}
	column_result(column, cursor->row, context);
}
