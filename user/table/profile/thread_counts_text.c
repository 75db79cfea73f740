// SPDX-License-Identifier: GPL-2.0
#include "table/profile/thread_counts_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/escape.h"

/* Columns are as wide as their widest value. */
struct thread_widths {
	int pid, tid, name, count;
};

static void thread_counts_widen(int *width, int wanted)
{
	if (wanted > *width)
		*width = wanted;
}

/* The width of one column for the counts of @event, or of all if it is SIZE_MAX. */
static int thread_counts_width(const struct thread_counts *counts, size_t event)
{
	int width = 0;

	for (size_t i = 0; i < counts->threads.nr; i++)
		for (size_t k = 0; k < counts->events.nr; k++)
			if (event == k || event == SIZE_MAX)
				thread_counts_widen(&width,
						    snprintf(NULL, 0, "%" PRIu64,
							     counts->threads.items[i].values[k]));
	return width;
}

static void add_padded_name(struct strbuf *ret, const struct event *event, int width)
{
	size_t len = strlen(event->name), from;

	strbuf_addstr(ret, "  ");
	strbuf_add_spaces(ret, len < (size_t)width ? width - len : 0);
	from = ret->len;
	strbuf_addstr(ret, event->name);
	escape_line_ends(ret, from);
}

static void add_thread_rows(const struct thread_counts *counts, const struct thread_widths *w,
			    struct strbuf *ret)
{
	strbuf_addf(ret, "# %*s  %*s", w->pid, "PID", w->tid, "TID");
	for (size_t k = 0; k < counts->events.nr; k++)
		add_padded_name(ret, counts->events.items[k], thread_counts_width(counts, k));
	strbuf_addch(ret, '\n');
	for (size_t i = 0; i < counts->threads.nr; i++) {
		const struct thread_counter *thread = &counts->threads.items[i];

		strbuf_addf(ret, "  %*d  %*d", w->pid, thread->pid, w->tid, thread->tid);
		for (size_t k = 0; k < counts->events.nr; k++) {
			int width = strlen(counts->events.items[k]->name);

			thread_counts_widen(&width, thread_counts_width(counts, k));
			strbuf_addf(ret, "  %*" PRIu64, width, thread->values[k]);
		}
		strbuf_addch(ret, '\n');
	}
}

/* perf calls the position of an event raw. */
static void add_count_rows(const struct thread_counts *counts, const struct thread_widths *w,
			   struct strbuf *ret)
{
	strbuf_addf(ret, "# %*s  %*s  %*s  Raw  %*s\n", w->pid, "PID", w->tid, "TID", w->name,
		    "Name", w->count, "Count");
	for (size_t i = 0; i < counts->threads.nr; i++)
		for (size_t k = 0; k < counts->events.nr; k++) {
			const struct thread_counter *thread = &counts->threads.items[i];
			const struct event *event = counts->events.items[k];

			strbuf_addf(ret, "  %*d  %*d", w->pid, thread->pid, w->tid, thread->tid);
			add_padded_name(ret, event, w->name);
			strbuf_addf(ret, "  %3zx  %*" PRIu64 "\n", event->index, w->count,
				    thread->values[k]);
		}
}

void thread_counts_text_add(const struct thread_counts *counts, bool raw, struct strbuf *ret)
{
	struct thread_widths w = { .pid = 3, .tid = 3, .name = 4, .count = 5 };

	for (size_t i = 0; i < counts->threads.nr; i++) {
		const struct thread_counter *thread = &counts->threads.items[i];

		thread_counts_widen(&w.pid, snprintf(NULL, 0, "%d", thread->pid));
		thread_counts_widen(&w.tid, snprintf(NULL, 0, "%d", thread->tid));
	}
	for (size_t k = 0; k < counts->events.nr; k++)
		thread_counts_widen(&w.name, strlen(counts->events.items[k]->name));
	thread_counts_widen(&w.count, thread_counts_width(counts, SIZE_MAX));
	if (raw)
		add_count_rows(counts, &w, ret);
	else
		add_thread_rows(counts, &w, ret);
}
