// SPDX-License-Identifier: GPL-2.0
#include "table/profile/thread_counts_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

/* One count of a thread. */
struct thread_count {
	int32_t pid, tid;
	const char *event;
	uint64_t index, count;
};

/* perf calls the position of an event raw. */
static void thread_add_index(const struct table_cell *cell, struct strbuf *out)
{
	strbuf_addf(out, "%" PRIx64, ((const struct thread_count *)cell->row)->index);
}

static void thread_get_count(const struct table_cell *cell, struct table_value *ret)
{
	ret->number = ((const struct thread_counter *)cell->row)->values[cell->column->key];
}

/* Columns are as wide as their widest value. */
static void thread_widen(int *width, int wanted)
{
	if (wanted > *width)
		*width = wanted;
}

/* For the counts of event @k. */
static void thread_widen_count(const struct thread_counts *counts, size_t k, int *width)
{
	for (size_t i = 0; i < counts->threads.nr; i++)
		thread_widen(width, snprintf(NULL, 0, "%" PRIu64,
					     counts->threads.items[i].values[k]));
}

static void thread_widen_ids(const struct thread_counts *counts, struct table_column *ids)
{
	for (size_t i = 0; i < counts->threads.nr; i++) {
		thread_widen(&ids[0].width, snprintf(NULL, 0, "%d", counts->threads.items[i].pid));
		thread_widen(&ids[1].width, snprintf(NULL, 0, "%d", counts->threads.items[i].tid));
	}
}

#define THREAD_ID(type_of_row, member, title) \
	{ .name = #member, .type = TABLE_SIGNED, TABLE_MEMBER(type_of_row, member), \
	  .heading = title, .width = 3 }
#define THREAD_TABLE(list, number) \
	{ .name = "thread_counts", .columns = list, .nr = number, .left = "  ", \
	  .between = "  ", .heading_left = "# " }

static void thread_add_rows(const struct thread_counts *counts, struct strbuf *out)
{
	static const struct table_column ids[] = {
		THREAD_ID(struct thread_counter, pid, "PID"),
		THREAD_ID(struct thread_counter, tid, "TID"),
	};
	const struct table_output output = { .format = TABLE_AS_TEXT };
	size_t nr = ARRAY_SIZE(ids) + counts->events.nr;
	_cleanup_free_ struct table_column *columns = calloc(nr, sizeof(*columns));
	const struct table table = THREAD_TABLE(columns, nr);

	if (!columns) {
		out->failed = true;
		return;
	}
	memcpy(columns, ids, sizeof(ids));
	thread_widen_ids(counts, columns);
	for (size_t k = 0; k < counts->events.nr; k++) {
		struct table_column *column = &columns[ARRAY_SIZE(ids) + k];

		*column = (struct table_column){
			.type = TABLE_UNSIGNED, .value = thread_get_count, .key = k,
			.heading = counts->events.items[k]->name,
			.width = strlen(counts->events.items[k]->name),
		};
		thread_widen_count(counts, k, &column->width);
	}
	table_add_all(&table, &output, counts->threads.items, counts->threads.nr,
		      sizeof(*counts->threads.items), out);
}

enum { THREAD_PID, THREAD_TID, THREAD_EVENT, THREAD_INDEX, THREAD_COUNT };

void thread_counts_add_each(const struct thread_counts *counts, const struct table_output *output,
			    struct strbuf *out)
{
	struct table_column columns[] = {
		[THREAD_PID] = THREAD_ID(struct thread_count, pid, "PID"),
		[THREAD_TID] = THREAD_ID(struct thread_count, tid, "TID"),
		[THREAD_EVENT] = { .name = "event", TABLE_MEMBER(struct thread_count, event),
				   .heading = "Name", .width = 4 },
		[THREAD_INDEX] = { .add_text = thread_add_index, .heading = "Raw", .width = 3 },
		[THREAD_COUNT] = { .name = "count", .unit = TABLE_COUNT, .type = TABLE_UNSIGNED,
				   TABLE_MEMBER(struct thread_count, count), .heading = "Count",
				   .width = 5 },
	};
	const struct table table = THREAD_TABLE(columns, ARRAY_SIZE(columns));
	struct table_printer printer;

	thread_widen_ids(counts, columns);
	for (size_t k = 0; k < counts->events.nr; k++) {
		thread_widen(&columns[THREAD_EVENT].width, strlen(counts->events.items[k]->name));
		thread_widen_count(counts, k, &columns[THREAD_COUNT].width);
	}
	table_begin(&printer, &table, output, out);
	for (size_t i = 0; i < counts->threads.nr; i++)
		for (size_t k = 0; k < counts->events.nr; k++) {
			const struct thread_counter *thread = &counts->threads.items[i];
			const struct event *event = counts->events.items[k];

			table_add_row(&printer, &(struct thread_count){
				thread->pid, thread->tid, event->name, event->index,
				thread->values[k],
			});
		}
	table_end(&printer);
}

void thread_counts_text_add(const struct thread_counts *counts, bool raw, struct strbuf *ret)
{
	const struct table_output output = { .format = TABLE_AS_TEXT };

	if (raw)
		thread_counts_add_each(counts, &output, ret);
	else
		thread_add_rows(counts, ret);
}
