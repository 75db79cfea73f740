// SPDX-License-Identifier: GPL-2.0
#include "table/sched/sched_latency_text.h"

#include <inttypes.h>
#include <stddef.h>

#include "lib/array.h"

static void latency_add_task(const struct table_cell *cell, struct strbuf *out)
{
	const struct latency_row *row = cell->row;

	if (row->tasks > 1)
		strbuf_addf(out, "%s:(%zu) ", row->comm, row->tasks);
	else
		strbuf_addf(out, "%s:%" PRId32 " ", row->comm, row->tid);
}

/* Several tasks have no number. */
static void latency_get_tid(const struct table_cell *cell, struct table_value *ret)
{
	const struct latency_row *row = cell->row;

	ret->missing = row->tasks > 1;
	ret->integer = row->tid;
}

static void latency_get_runtime(const struct table_cell *cell, struct table_value *ret)
{
	const struct latency_table *latency = cell->table->data;
	const struct latency_row *row = cell->row;

	ret->missing = latency->no_runtime;
	ret->number = row->runtime;
}

/* As in perf, text has 0 for what is not known; a notice says so. */
static void latency_add_runtime_ms(const struct table_cell *cell, struct strbuf *out)
{
	const struct latency_row *row = cell->row;

	strbuf_addf(out, "%11.3f ms ", row->runtime / 1e6);
}

static void latency_get_average(const struct table_cell *cell, struct table_value *ret)
{
	const struct latency_row *row = cell->row;

	ret->number = row->total / row->delays;
}

#define LATENCY_NUMBER(id, member) \
	.name = id, .type = TABLE_UNSIGNED, TABLE_MEMBER(struct latency_row, member)
#define LATENCY_MS	.unit = TABLE_NS, .behind = " ms ", .divisor = 1e6, .decimals = 3

static const struct table_column latency_columns[] = {
	{ .add_text = latency_add_task, .heading = "Task", .width = -22 },
	{ .name = "comm", TABLE_MEMBER(struct latency_row, comm), .data_only = true },
	{ .name = "tid", .type = TABLE_SIGNED, .value = latency_get_tid, .data_only = true },
	{ .name = "tasks", .unit = TABLE_COUNT, .type = TABLE_UNSIGNED,
	  TABLE_MEMBER(struct latency_row, tasks), .data_only = true },
	{ .name = "runtime", .type = TABLE_UNSIGNED, .unit = TABLE_NS, .value = latency_get_runtime,
	  .add_text = latency_add_runtime_ms, .heading = "  Runtime ms  ", .width = 15 },
	{ LATENCY_NUMBER("switches", delays), .unit = TABLE_COUNT, .heading = " Switches ",
	  .width = 10, .behind = " " },
	{ LATENCY_NUMBER("total_delay", total), .unit = TABLE_NS, .data_only = true },
	{ .name = "avg_delay", .type = TABLE_UNSIGNED, .value = latency_get_average,
	  LATENCY_MS, .heading = " Avg delay ms", .width = -17, .before = " avg:" },
	{ LATENCY_NUMBER("max_delay", max), LATENCY_MS, .heading = " Max delay ms",
	  .width = -17, .before = " max:" },
	{ LATENCY_NUMBER("max_delay_start", max_start), .unit = TABLE_TIME, .form = TABLE_SECONDS,
	  .heading = " Max delay start", .width = -27, .before = " max start: ", .behind = " s " },
	{ LATENCY_NUMBER("max_delay_end", max_end), .unit = TABLE_TIME, .form = TABLE_SECONDS,
	  .heading = " Max delay end          |", .width = -24, .before = " max end: ",
	  .behind = " s" },
};

void sched_latency_add(const struct latency_table *latency, const struct table_output *output,
		       struct strbuf *out)
{
	const struct table table = {
		.name = "sched_latency", .columns = latency_columns,
		.nr = ARRAY_SIZE(latency_columns), .data = latency, .left = "  ", .between = "|",
	};
	bool is_text = output->format == TABLE_AS_TEXT;
	struct table_printer printer;

	table_add_rule(output, "\n ", 139, out);
	table_begin(&printer, &table, output, out);
	table_add_rule(output, " ", 139, out);
	for (size_t i = 0; i < latency->nr; i++)
		table_add_row(&printer, &latency->items[i]);
	table_end(&printer);
	if (!is_text)
		return;
	table_add_rule(output, " ", 113, out);
	strbuf_addf(out, "  TOTAL:                |%11.3f ms |%9" PRIu64 " |\n",
		    latency->runtime / 1e6, latency->delays);
	table_add_rule(output, " ", 51, out);
	if (latency->strangers && latency->wakeups)
		strbuf_addf(out, "  INFO: %.3f%% context switch bugs (%" PRIu64 " out of %"
			    PRIu64 ")\n", 100.0 * latency->strangers / latency->wakeups,
			    latency->strangers, latency->wakeups);
	strbuf_addch(out, '\n');
}
