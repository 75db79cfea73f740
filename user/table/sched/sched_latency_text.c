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

/* As in perf, text has 0 for unknown values; a notice reports that. */
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

/* The totals of the rows. */
struct delay_sum {
	uint64_t count, most;
};

static void delay_get_end(const struct table_cell *cell, struct table_value *ret)
{
	const struct delay_step *step = cell->row;

	ret->missing = !step->to;
	ret->integer = step->to;
}

static void delay_add_range(const struct table_cell *cell, struct strbuf *out)
{
	const struct delay_step *step = cell->row;

	strbuf_addf(out, "%11.3f ms", step->from / 1e6);
	if (step->to)
		strbuf_addf(out, " - %11.3f ms", step->to / 1e6);
	else
		strbuf_addf(out, " and more");
}

static void delay_get_share(const struct table_cell *cell, struct table_value *ret)
{
	const struct delay_sum *sum = cell->table->data;
	const struct delay_step *step = cell->row;

	ret->real = sum->count ? 100.0 * step->count / sum->count : 0;
}

static void delay_add_bar(const struct table_cell *cell, struct strbuf *out)
{
	const struct delay_sum *sum = cell->table->data;
	const struct delay_step *step = cell->row;

	strbuf_pad(out, out->len + (sum->most ? 40 * step->count / sum->most : 0), '#');
}

static const struct table_column delay_columns[] = {
	{ .add_text = delay_add_range, .heading = "Delay", .width = -31 },
	{ .name = "from", .unit = TABLE_NS, .type = TABLE_UNSIGNED,
	  TABLE_MEMBER(struct delay_step, from), .data_only = true },
	{ .name = "to", .unit = TABLE_NS, .type = TABLE_SIGNED, .value = delay_get_end,
	  .data_only = true },
	{ .name = "count", .unit = TABLE_COUNT, .type = TABLE_UNSIGNED,
	  TABLE_MEMBER(struct delay_step, count), .heading = "Count", .width = 9 },
	{ .name = "share", .unit = TABLE_PERCENT, .type = TABLE_FLOAT, .value = delay_get_share,
	  .heading = "Share", .width = 7, .decimals = 2, .behind = "%" },
	{ .add_text = delay_add_bar, .heading = "Histogram", .width = -40 },
};

void sched_delays_add(const struct delay_step *steps, size_t nr, const struct table_output *output,
		      struct strbuf *out)
{
	struct delay_sum sum = { 0 };
	const struct table table = {
		.name = "sched_delays", .columns = delay_columns, .nr = ARRAY_SIZE(delay_columns),
		.data = &sum, .left = "  ", .between = " | ", .right = " |",
	};
	struct table_printer printer;

	for (size_t i = 0; i < nr; i++) {
		sum.count += steps[i].count;
		sum.most = steps[i].count > sum.most ? steps[i].count : sum.most;
	}
	table_add_rule(output, "\n ", 99, out);
	table_begin(&printer, &table, output, out);
	table_add_rule(output, " ", 99, out);
	for (size_t i = 0; i < nr; i++)
		table_add_row(&printer, &steps[i]);
	table_end(&printer);
	table_add_rule(output, " ", 99, out);
}
