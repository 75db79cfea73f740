// SPDX-License-Identifier: GPL-2.0
#include "table/trace/trace_summary.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

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

static void trace_summary_add_call(const struct trace_summary *summary,
				   const struct syscall_sums *sums, struct strbuf *sb)
{
	double mean = sums->mean / 1e6;

	strbuf_addf(sb, "   %-15s %8" PRIu64 " %6" PRIu64 " %9.3f %9.3f %9.3f %9.3f %9.2f%%\n",
		    sums->info->name, sums->calls, sums->failures, sums->calls * mean,
		    sums->shortest / 1e6, mean, sums->longest / 1e6,
		    trace_summary_deviation(sums));
	if (!summary->errnos || !sums->errnos)
		return;
	for (int i = 1; i < SYSCALL_ERRNOS; i++)
		if (sums->errnos[i])
			strbuf_addf(sb, "\t\t\t\t%s: %u\n", syscall_words_errno(i),
				    sums->errnos[i]);
}

static void trace_summary_add_task(const struct trace_summary *summary,
				   const struct syscall_task_sums *sums, struct strbuf *sb)
{
	const struct syscall_task *task = sums->task;
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
	strbuf_addstr(sb, "\n\n"
		      "   syscall            calls  errors  total       min       avg       max"
		      "       stddev\n"
		      "                                     (msec)    (msec)    (msec)    (msec)"
		      "        (%)\n"
		      "   --------------- --------  ------ -------- --------- --------- ---------"
		      "     ------\n");
	for (size_t i = 0; i < sums->calls.nr; i++)
		trace_summary_add_call(summary, &sums->calls.items[i], sb);
	strbuf_addstr(sb, "\n\n");
}

struct error *trace_summary_print(const struct trace_summary *summary, FILE *out)
{
	_cleanup_(strbuf) struct strbuf sb = STRBUF_INIT, escaped = STRBUF_INIT;
	const struct strbuf *text = &sb;

	strbuf_addstr(&sb, "\n Summary of events:\n\n");
	for (size_t i = 0; i < summary->nr; i++)
		trace_summary_add_task(summary, &summary->tasks[i], &sb);
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
