// SPDX-License-Identifier: GPL-2.0
#include "table/trace/trace_summary.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "lib/array.h"
#include "lib/escape.h"
#include "lib/strbuf.h"
#include "table/trace/syscall_words.h"

/* The standard deviation of the mean, in percent of it. */
static double trace_summary_deviation(const struct syscall_sums *sums)
{
	double variance;

	if (sums->calls < 2 || !(sums->mean > 0))
		return 0;
	variance = sums->squares / (sums->calls - 1) / sums->calls;
	return 100.0 * sqrt(variance) / sums->mean;
}

/* A task's results of a call. */
struct trace_summary_row {
	int32_t tid;
	const char *comm, *call;
	uint64_t calls, errors;
	double total, mean;		/* ns */
	uint64_t min, max;		/* ns */
	double deviation;		/* percent */
};

#define TRACE_MEMBER(of, member) \
	.type = of, TABLE_MEMBER(struct trace_summary_row, member)
#define TRACE_MS(id, of, member) \
	{ .name = id, .unit = TABLE_NS, TRACE_MEMBER(of, member), .width = 9, .divisor = 1e6, \
	  .decimals = 3 }

static const struct table_column trace_summary_columns[] = {
	{ .name = "tid", TRACE_MEMBER(TABLE_SIGNED, tid), .data_only = true },
	{ .name = "comm", TRACE_MEMBER(TABLE_TEXT, comm), .data_only = true },
	{ .name = "syscall", TRACE_MEMBER(TABLE_TEXT, call), .width = -15 },
	{ .name = "calls", .unit = TABLE_COUNT, TRACE_MEMBER(TABLE_UNSIGNED, calls), .width = 8 },
	{ .name = "errors", .unit = TABLE_COUNT, TRACE_MEMBER(TABLE_UNSIGNED, errors), .width = 6 },
	TRACE_MS("total", TABLE_FLOAT, total),
	TRACE_MS("min", TABLE_UNSIGNED, min),
	TRACE_MS("avg", TABLE_FLOAT, mean),
	TRACE_MS("max", TABLE_UNSIGNED, max),
	{ .name = "avg_error", .unit = TABLE_PERCENT, TRACE_MEMBER(TABLE_FLOAT, deviation),
	  .width = 10, .behind = "%", .decimals = 2 },
};

static const struct table trace_summary_table = {
	.name = "trace_summary", .columns = trace_summary_columns,
	.nr = ARRAY_SIZE(trace_summary_columns), .left = "   ",
	.headings = "   syscall            calls  errors  total       min       avg       max"
		    "       stddev\n"
		    "                                     (msec)    (msec)    (msec)    (msec)"
		    "        (%)\n"
		    "   --------------- --------  ------ -------- --------- --------- ---------"
		    "     ------\n",
};

static void trace_summary_add_errnos(const struct syscall_sums *sums, struct strbuf *out)
{
	for (int i = 1; i < SYSCALL_ERRNOS; i++)
		if (sums->errnos[i])
			strbuf_addf(out, "\t\t\t\t%s: %u\n", syscall_words_errno(i),
				    sums->errnos[i]);
}

static void trace_summary_add_calls(const struct trace_summary *summary,
				    const struct syscall_task_sums *task,
				    struct table_printer *printer)
{
	for (size_t i = 0; i < task->calls.nr; i++) {
		const struct syscall_sums *sums = &task->calls.items[i];

		table_add_row(printer, &(struct trace_summary_row){
			.tid = task->task->tid, .comm = task->task->comm, .call = sums->info->name,
			.calls = sums->calls, .errors = sums->failures,
			.total = sums->calls * sums->mean, .mean = sums->mean,
			.min = sums->shortest, .max = sums->longest,
			.deviation = trace_summary_deviation(sums),
		});
		if (printer->format == TABLE_AS_TEXT && summary->errnos && sums->errnos)
			trace_summary_add_errnos(sums, printer->out);
	}
}

static void trace_summary_add_task(const struct trace_summary *summary,
				   const struct syscall_task *task, struct strbuf *sb)
{
	size_t at;

	strbuf_addch(sb, ' ');
	at = sb->len;
	strbuf_addstr(sb, task->comm ? task->comm : "");
	escape_line_ends(sb, at);
	strbuf_addf(sb, " (%d), %" PRIu64 " events, %.1f%%", task->tid, task->events,
		    summary->events ? 100.0 * task->events / summary->events : 0.0);
	if (task->major)
		strbuf_addf(sb, ", %" PRIu64 " majfaults", task->major);
	if (task->minor)
		strbuf_addf(sb, ", %" PRIu64 " minfaults", task->minor);
	if (summary->runtimes)
		strbuf_addf(sb, ", %.3f msec", task->runtime / 1e6);
	strbuf_addstr(sb, "\n\n");
}

/* Text has a table for each task, below a line about it. */
static void trace_summary_add_text(const struct trace_summary *summary,
				   const struct table_output *output, struct strbuf *out)
{
	struct table_printer printer;

	strbuf_addstr(out, "\n Summary of events:\n\n");
	for (size_t i = 0; i < summary->nr; i++) {
		trace_summary_add_task(summary, summary->tasks[i].task, out);
		table_begin(&printer, &trace_summary_table, output, out);
		trace_summary_add_calls(summary, &summary->tasks[i], &printer);
		table_end(&printer);
		strbuf_addstr(out, "\n\n");
	}
}

void trace_summary_add(const struct trace_summary *summary, const struct table_output *output,
		       struct strbuf *out)
{
	struct table_printer printer;

	if (output->format == TABLE_AS_TEXT) {
		trace_summary_add_text(summary, output, out);
		return;
	}
	table_begin(&printer, &trace_summary_table, output, out);
	for (size_t i = 0; i < summary->nr; i++)
		trace_summary_add_calls(summary, &summary->tasks[i], &printer);
	table_end(&printer);
}

struct error *trace_no_calls(void)
{
	return error_hint(error_new(ENODATA, "The recording has no system calls"),
			  "'ktrace trace record' records them: raw_syscalls:sys_enter and "
			  "raw_syscalls:sys_exit");
}

struct error *trace_summary_print(const struct trace_summary *summary, FILE *out)
{
	_cleanup_(strbuf) struct strbuf sb = STRBUF_INIT, escaped = STRBUF_INIT;
	const struct table_output output = { .format = TABLE_AS_TEXT };
	const struct strbuf *text = &sb;

	trace_summary_add(summary, &output, &sb);
	if (summary->terminal) {
		escape_terminal(&escaped, strbuf_str(&sb), sb.len);
		text = &escaped;
	}
	if (sb.failed || text->failed)
		return &error_no_memory;
	fwrite(strbuf_str(text), 1, text->len, out);
	if (fflush(out))
		return error_errno(errno, "Cannot write the summary");
	return NULL;
}
