// SPDX-License-Identifier: GPL-2.0
#include "table/check/monitor_text.h"

#include "lib/array.h"

static void monitor_get_name(const struct table_cell *cell, struct table_value *ret)
{
	const struct judges_violation *row = cell->row;

	strbuf_addstr(ret->text, row->monitor->name);
}

static void monitor_get_time(const struct table_cell *cell, struct table_value *ret)
{
	const struct judges_violation *row = cell->row;

	ret->number = row->violation->time;
}

static void monitor_get_key(const struct table_cell *cell, struct table_value *ret)
{
	const struct judges_violation *row = cell->row;

	monitor_add_key(row->monitor, row->violation->key, ret->text);
	ret->missing = !ret->text->len;
}

static void monitor_get_comm(const struct table_cell *cell, struct table_value *ret)
{
	const struct judges_violation *row = cell->row;

	strbuf_addstr(ret->text, row->violation->comm);
	ret->missing = !*row->violation->comm;
}

static void monitor_get_state(const struct table_cell *cell, struct table_value *ret)
{
	const struct judges_violation *row = cell->row;

	strbuf_addstr(ret->text, row->monitor->states.items[row->violation->state]);
}

static void monitor_get_event(const struct table_cell *cell, struct table_value *ret)
{
	const struct judges_violation *row = cell->row;

	ret->missing = row->violation->source == KEY_NO_SOURCE;
	if (!ret->missing)
		strbuf_addstr(ret->text, row->monitor->sources.items[row->violation->source]);
}

static void monitor_add_event(const struct table_cell *cell, struct strbuf *out)
{
	const struct judges_violation *row = cell->row;

	strbuf_addstr(out, row->violation->source == KEY_NO_SOURCE ? "(time is up)" :
			   row->monitor->sources.items[row->violation->source]);
}

static void monitor_get_age(const struct table_cell *cell, struct table_value *ret)
{
	const struct judges_violation *row = cell->row;

	ret->number = row->violation->age;
}

static const struct table_column monitor_violation_columns[] = {
	{ .name = "time", .unit = TABLE_TIME, .type = TABLE_UNSIGNED, .form = TABLE_SECONDS,
	  .value = monitor_get_time, .heading = "Time (s)", .width = 16 },
	{ .name = "monitor", .value = monitor_get_name, .heading = "Monitor", .width = -10 },
	{ .name = "key", .value = monitor_get_key, .heading = "Key", .width = 8 },
	{ .name = "comm", .value = monitor_get_comm, .heading = "Task", .width = -16 },
	{ .name = "state", .value = monitor_get_state, .heading = "State", .width = -20 },
	{ .name = "event", .value = monitor_get_event, .add_text = monitor_add_event,
	  .heading = "Event", .width = -24 },
	{ .name = "age", .unit = TABLE_NS, .type = TABLE_UNSIGNED, .value = monitor_get_age,
	  .heading = "Age (ms)", .width = 12, .divisor = 1e6, .decimals = 6 },
};

void monitor_violations_add(const struct judges_violation *rows, size_t nr,
			    const struct table_output *output, struct strbuf *out)
{
	const struct table table = {
		.name = "monitor_violations", .columns = monitor_violation_columns,
		.nr = ARRAY_SIZE(monitor_violation_columns),
	};

	table_add_all(&table, output, rows, nr, sizeof(*rows), out);
}

#define MONITOR_COUNT(member, title, chars) \
	{ .name = #member, .unit = TABLE_COUNT, .type = TABLE_UNSIGNED, \
	  TABLE_MEMBER(struct monitor_counts, counts.member), .heading = title, .width = chars }

static const struct table_column monitor_count_columns[] = {
	{ .name = "monitor", TABLE_MEMBER(struct monitor_counts, name), .heading = "Monitor",
	  .width = -10 },
	MONITOR_COUNT(keys, "Keys", 8),
	MONITOR_COUNT(ok, "OK", 8),
	MONITOR_COUNT(violated, "Violated", 9),
	MONITOR_COUNT(not_started, "Not started", 12),
	MONITOR_COUNT(lost, "Lost", 8),
	MONITOR_COUNT(unordered, "Unordered", 10),
	MONITOR_COUNT(violations, "Violations", 11),
	MONITOR_COUNT(refused, "Table full", 11),
};

void monitor_counts_add(const struct monitor_counts *rows, size_t nr,
			const struct table_output *output, struct strbuf *out)
{
	const struct table table = {
		.name = "monitor_counts", .columns = monitor_count_columns,
		.nr = ARRAY_SIZE(monitor_count_columns),
	};

	table_add_all(&table, output, rows, nr, sizeof(*rows), out);
}

static void monitor_get_runs(const struct table_cell *cell, struct table_value *ret)
{
	const struct monitor_row *row = cell->row;

	strbuf_addstr(ret->text, *row->missing ? "missing" : "runs");
}

static void monitor_get_missing(const struct table_cell *cell, struct table_value *ret)
{
	const struct monitor_row *row = cell->row;

	strbuf_addstr(ret->text, row->missing);
	ret->missing = !*row->missing;
}

static void monitor_add_reason(const struct table_cell *cell, struct strbuf *out)
{
	const struct monitor_row *row = cell->row;

	strbuf_addstr(out, *row->missing ? row->missing : row->description);
}

static const struct table_column monitor_list_columns[] = {
	{ .name = "monitor", TABLE_MEMBER(struct monitor_row, name), .heading = "Monitor",
	  .width = -10 },
	{ .name = "status", .value = monitor_get_runs, .heading = "Status", .width = -8 },
	{ .name = "description", TABLE_MEMBER(struct monitor_row, description), .data_only = true },
	{ .name = "missing", .value = monitor_get_missing, .add_text = monitor_add_reason,
	  .heading = "Description, or reason", .width = -30, .wraps = true },
};

void monitor_list_add(const struct monitor_row *rows, size_t nr, const struct table_output *output,
		      struct strbuf *out)
{
	const struct table table = {
		.name = "monitors", .columns = monitor_list_columns,
		.nr = ARRAY_SIZE(monitor_list_columns),
	};

	table_add_all(&table, output, rows, nr, sizeof(*rows), out);
}
