// SPDX-License-Identifier: GPL-2.0
#include "table/lock/lock_text.h"

#include <inttypes.h>

#include "lib/array.h"
#include "lib/escape.h"
#include "table/lock/lock_types.h"

/* As perf prints times, whose numbers have the precision of a float. */
static void lock_add_time(const struct table_cell *cell, struct strbuf *out)
{
	static const struct {
		float ns;
		const char *name;
	} units[] = {
		{ 3600e9, "h " }, { 60e9, "m " }, { 1e9, "s " }, { 1e6, "ms" }, { 1e3, "us" },
	};
	uint64_t ns = lock_row_value(cell->row, cell->column->key);

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (ns < units[i].ns)
			continue;
		strbuf_addf(out, "%.2f %s", (double)(ns / units[i].ns), units[i].name);
		return;
	}
	strbuf_addf(out, "%" PRIu64 " ns", ns);
}

static void lock_get_number(const struct table_cell *cell, struct table_value *ret)
{
	ret->number = lock_row_value(cell->row, cell->column->key);
}

static void lock_get_tid(const struct table_cell *cell, struct table_value *ret)
{
	const struct lock_row *lock = cell->row;

	ret->integer = (int32_t)lock->key;
}

/* The key shows whether it is the family of the type. */
static void lock_get_type(const struct table_cell *cell, struct table_value *ret)
{
	const struct lock_row *lock = cell->row;

	strbuf_addstr(ret->text, lock_type(lock->flags, cell->column->key));
}

static void lock_add_report_name(const struct table_cell *cell, struct strbuf *out)
{
	const struct lock_row *lock = cell->row;

	strbuf_addf(out, strlen(lock->name) < 20 ? "%s" : " %.16s...", lock->name);
}

#define LOCK_COUNT(index, title) \
	[index] = { .name = title, .unit = TABLE_COUNT, .type = TABLE_UNSIGNED, \
		    .value = lock_get_number, .key = index, .heading = title, .width = 10 }
#define LOCK_TIME(index, id, title) \
	[index] = { .name = id, .unit = TABLE_NS, .type = TABLE_UNSIGNED, \
		    .value = lock_get_number, .add_text = lock_add_time, .key = index, \
		    .heading = title, .width = 12 }

static const struct table_column lock_columns[LOCK_KEYS] = {
	LOCK_COUNT(LOCK_ACQUIRED, "acquired"),
	LOCK_COUNT(LOCK_CONTENDED, "contended"),
	LOCK_TIME(LOCK_AVG_WAIT, "avg_wait", "avg wait"),
	LOCK_TIME(LOCK_WAIT_TOTAL, "wait_total", "total wait"),
	LOCK_TIME(LOCK_WAIT_MAX, "wait_max", "max wait"),
	LOCK_TIME(LOCK_WAIT_MIN, "wait_min", "min wait"),
};

#define LOCK_TID \
	{ .name = "tid", .type = TABLE_SIGNED, .value = lock_get_tid, .heading = "pid", .width = 12 }
#define LOCK_ADDRESS \
	.name = "address", .value = table_get_address, .add_text = table_add_address, \
	TABLE_MEMBER(struct lock_row, key)
#define LOCK_NAME(title) \
	{ .name = title, TABLE_MEMBER(struct lock_row, name), .heading = "  " title, \
	  .before = "  " }

/* The subject of a row, behind its numbers. */
#define LOCK_SUBJECTS	3

static const struct table_column lock_subjects[][LOCK_SUBJECTS] = {
	[LOCK_BY_CALLER] = {
		{ .name = "type", .value = lock_get_type, .heading = "type", .width = 12 },
		LOCK_NAME("caller"),
	},
	[LOCK_BY_TASK] = { LOCK_TID, LOCK_NAME("comm") },
	[LOCK_BY_ADDRESS] = {
		{ LOCK_ADDRESS, .heading = "address", .width = 18 },
		LOCK_NAME("symbol"),
		{ .name = "type", .value = lock_get_type, .key = true, .before = "(",
		  .behind = ")" },
	},
	[LOCK_BY_OWNER] = { LOCK_TID, LOCK_NAME("owner") },
};

static const struct table_column lock_report_subjects[][LOCK_SUBJECTS] = {
	[LOCK_BY_TASK] = {
		{ .name = "tid", .type = TABLE_SIGNED, .value = lock_get_tid, .data_only = true },
	},
	[LOCK_BY_ADDRESS] = {
		{ LOCK_ADDRESS, .data_only = true },
		{ .name = "type", .value = lock_get_type, .key = true, .data_only = true },
	},
};

static const struct table_column lock_report_name = {
	.name = "name", TABLE_MEMBER(struct lock_row, name), .add_text = lock_add_report_name,
	.heading = "Name", .width = 20,
};

/* The columns of a table, in sequence. */
struct lock_table {
	struct table_column columns[1 + LOCK_KEYS + LOCK_SUBJECTS];
	size_t nr;
};

static void lock_table_add(struct lock_table *table, const struct table_column *columns, size_t nr)
{
	for (size_t i = 0; i < nr && columns[i].name; i++)
		table->columns[table->nr++] = columns[i];
}

static void lock_table_add_keys(struct lock_table *table, const struct lock_text *text)
{
	for (size_t i = 0; i < text->nr_keys; i++)
		lock_table_add(table, &lock_columns[text->keys[i]], 1);
}

static void lock_add_name(const char *name, struct strbuf *out)
{
	size_t begin = out->len;

	strbuf_addstr(out, name);
	escape_line_ends(out, begin);
}

static void lock_add_stack(const struct lock_text *text, const struct lock_row *row,
			   struct strbuf *out)
{
	for (size_t i = 0; i < row->nr_frames; i++) {
		uint64_t ip = text->locks->frames.items[row->first_frame + i];
		struct place place;

		strbuf_addf(out, "\t\t\t%#" PRIx64 "  ", ip);
		machine_find(text->stacks, NULL, PERF_RECORD_MISC_KERNEL, ip, &place);
		if (place.symbol) {
			lock_add_name(place.symbol->name, out);
			if (place.offset)
				strbuf_addf(out, "+%#" PRIx64, place.offset);
		}
		strbuf_addch(out, '\n');
	}
}

void lock_contention_add(const struct lock_text *text, const struct table_output *output,
			 struct strbuf *out)
{
	bool is_text = output->format == TABLE_AS_TEXT;
	bool with_stacks = is_text && text->stacks &&
			   (text->by == LOCK_BY_CALLER || text->by == LOCK_BY_OWNER);
	struct lock_table lock = { .nr = 0 };
	struct table table = { .name = "lock_contention", .columns = lock.columns };
	struct table_printer printer;
	size_t shown = 0;

	lock_table_add_keys(&lock, text);
	lock_table_add(&lock, lock_subjects[text->by], LOCK_SUBJECTS);
	table.nr = lock.nr;
	table_begin(&printer, &table, output, out);
	if (is_text)
		strbuf_addch(out, '\n');
	for (size_t i = 0; i < text->locks->rows.nr && shown < text->entries; i++) {
		const struct lock_row *row = &text->locks->rows.items[i];

		if (!row->total)
			continue;
		table_add_row(&printer, row);
		if (with_stacks)
			lock_add_stack(text, row, out);
		shown++;
	}
	table_end(&printer);
}

void lock_report_add(const struct lock_text *text, const struct table_output *output,
		     struct strbuf *out)
{
	struct lock_table lock = { .nr = 0 };
	struct table table = { .name = "lock_report", .columns = lock.columns, .right = " " };
	struct table_printer printer;
	size_t shown = 0;

	lock_table_add(&lock, &lock_report_name, 1);
	lock_table_add_keys(&lock, text);
	lock_table_add(&lock, lock_report_subjects[text->by], LOCK_SUBJECTS);
	table.nr = lock.nr;
	table_begin(&printer, &table, output, out);
	if (output->format == TABLE_AS_TEXT)
		strbuf_addch(out, '\n');
	for (size_t i = 0; i < text->locks->rows.nr && shown < text->entries; i++) {
		const struct lock_row *row = &text->locks->rows.items[i];

		if (!row->acquired)
			continue;
		table_add_row(&printer, row);
		shown++;
	}
	table_end(&printer);
}

void lock_threads_text_add(const struct lock_contention *locks, struct strbuf *out)
{
	strbuf_addf(out, "%10s: comm\n", "Thread ID");
	for (size_t i = 0; i < locks->tasks.nr; i++) {
		strbuf_addf(out, "%10" PRId32 ": ", locks->tasks.items[i].tid);
		lock_add_name(locks->tasks.items[i].comm, out);
		strbuf_addch(out, '\n');
	}
}

void lock_map_text_add(const struct lock_contention *locks, struct strbuf *out)
{
	strbuf_addstr(out, "Address of instance: name of class\n");
	for (size_t i = 0; i < locks->rows.nr; i++) {
		strbuf_addf(out, " %#" PRIx64 ": ", locks->rows.items[i].key);
		lock_add_name(locks->rows.items[i].name, out);
		strbuf_addch(out, '\n');
	}
}
