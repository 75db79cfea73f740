// SPDX-License-Identifier: GPL-2.0
#include "table/sched/sched_latency_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/escape.h"
#include "lib/number.h"

#define NS_PER_MS	1000000.0

void sched_time_add(uint64_t ns, struct strbuf *out, int width)
{
	number_add_unsigned(out, ns / 1000000000, width > 7 ? width - 7 : 0, ' ');
	strbuf_addch(out, '.');
	number_add_digits(out, ns / 1000 % 1000000, 6);
}

static void latency_add_rule(struct strbuf *out, int width)
{
	strbuf_addch(out, ' ');
	for (int i = 0; i < width; i++)
		strbuf_addch(out, '-');
	strbuf_addch(out, '\n');
}

static void latency_row_add(const struct latency_row *row, struct strbuf *out)
{
	size_t begin = out->len;

	if (row->tasks > 1)
		strbuf_addf(out, "  %s:(%zu) ", row->comm, row->tasks);
	else
		strbuf_addf(out, "  %s:%" PRId32 " ", row->comm, row->tid);
	escape_line_ends(out, begin);
	if (out->len - begin < 24)
		strbuf_add_spaces(out, 24 - (out->len - begin));
	strbuf_addf(out, "|%11.3f ms |%9" PRIu64 " | avg:%8.3f ms | max:%8.3f ms | max start: ",
		    row->runtime / NS_PER_MS, row->delays,
		    row->total / row->delays / NS_PER_MS, row->max / NS_PER_MS);
	sched_time_add(row->max_start, out, 12);
	strbuf_addstr(out, " s | max end: ");
	sched_time_add(row->max_end, out, 12);
	strbuf_addstr(out, " s\n");
}

void sched_latency_text_add(const struct latency_table *table, struct strbuf *out)
{
	strbuf_addch(out, '\n');
	latency_add_rule(out, 139);
	strbuf_addstr(out, "  Task                  |   Runtime ms  | Switches | Avg delay ms    "
		      "| Max delay ms    | Max delay start           | Max delay end          |\n");
	latency_add_rule(out, 139);
	for (size_t i = 0; i < table->nr; i++)
		latency_row_add(&table->items[i], out);
	latency_add_rule(out, 113);
	strbuf_addf(out, "  TOTAL:                |%11.3f ms |%9" PRIu64 " |\n",
		    table->runtime / NS_PER_MS, table->delays);
	latency_add_rule(out, 51);
	if (table->strangers && table->wakeups)
		strbuf_addf(out, "  INFO: %.3f%% context switch bugs (%" PRIu64 " out of %"
			    PRIu64 ")\n", 100.0 * table->strangers / table->wakeups,
			    table->strangers, table->wakeups);
	strbuf_addch(out, '\n');
}
