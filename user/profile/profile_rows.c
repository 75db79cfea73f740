// SPDX-License-Identifier: GPL-2.0
/*
 * Single events with their text.  Their number is limited.  When there are too many, every second
 * row of the event with the most text is dropped, and from then on only every second sample of it
 * becomes a row.  So all samples of a rare event are kept.
 */
#include "profile/profiler.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

#define MAX_ROWS	20000
#define MAX_ROW_BYTES	(2 << 20)

/* Longer texts of an event are cut. */
#define MAX_ROW_TEXT	500

/* The size of a row besides its text. */
#define ROW_BYTES	16

static void forget_each_second(struct profiler *profiler, struct profiler_rows *list)
{
	size_t left = 0;

	profiler->nr_rows -= list->nr;
	profiler->row_bytes -= list->bytes;
	list->bytes = 0;
	for (size_t i = 0; i < list->nr; i++) {
		if (i % 2) {
			free(list->items[i].text);
			continue;
		}
		list->items[left++] = list->items[i];
		list->bytes += ROW_BYTES + strlen(list->items[i].text);
	}
	list->nr = left;
	list->step *= 2;
	profiler->nr_rows += list->nr;
	profiler->row_bytes += list->bytes;
}

static bool are_too_many(const struct profiler *profiler)
{
	return profiler->nr_rows > (size_t)MAX_ROWS << profiler->row_doublings ||
	       profiler->row_bytes > (size_t)MAX_ROW_BYTES << profiler->row_doublings;
}

static void limit_rows(struct profiler *profiler)
{
	while (are_too_many(profiler)) {
		struct profiler_rows *most = &profiler->rows.items[0];

		for (size_t i = 1; i < profiler->rows.nr; i++)
			if (profiler->rows.items[i].bytes > most->bytes)
				most = &profiler->rows.items[i];
		/*
		 * The only row of an event is kept; so instead the limit grows if there are very
		 * many events.
		 */
		if (most->nr > 1)
			forget_each_second(profiler, most);
		else
			profiler->row_doublings++;
	}
}

static char *make_row_text(const struct session_record *r)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t len;

	if (r->format)
		event_format_print(r->format, r->sample.raw, r->sample.raw_size, r->sample.cpu,
				   &text);
	len = text.len < MAX_ROW_TEXT ? text.len : MAX_ROW_TEXT;
	if (text.failed)
		return NULL;
	return strndup(strbuf_str(&text), len);
}

struct error *profiler_add_row(struct profiler *profiler, const struct session_record *r)
{
	struct profiler_rows *list = array_at(&profiler->rows, r->event->index, .step = 1);
	struct profiler_row row = { .sample = profiler->samples.nr - 1 };

	if (!list)
		return &error_no_memory;
	if (list->seen++ % list->step)
		return NULL;
	row.text = make_row_text(r);
	if (!row.text || !array_push(list, row)) {
		free(row.text);
		return &error_no_memory;
	}
	profiler->nr_rows++;
	list->bytes += ROW_BYTES + strlen(row.text);
	profiler->row_bytes += ROW_BYTES + strlen(row.text);
	limit_rows(profiler);
	return NULL;
}

DEFINE_COMPARISON(compare_profile_rows, struct profile_row, array_order(x->time, y->time))

struct error *profiler_settle_rows(struct profiler *profiler)
{
	struct profile *profile = &profiler->profile;

	for (size_t i = 0; i < profiler->rows.nr; i++) {
		const struct profiler_rows *list = &profiler->rows.items[i];

		for (size_t k = 0; k < list->nr; k++) {
			const struct profiler_sample *sample =
				&profiler->samples.items[list->items[k].sample];
			const struct profile_row row = {
				.time = sample->time, .lane = sample->lane, .node = sample->node,
				.text = list->items[k].text,
			};

			if (!array_push(&profile->rows, row))
				return &error_no_memory;
		}
		if (i < profile->events.nr)
			profile->events.items[i].step = list->step;
	}
	array_sort(&profile->rows, compare_profile_rows);
	return NULL;
}

void profiler_deinit_rows(struct profiler *profiler)
{
	for (size_t i = 0; i < profiler->rows.nr; i++) {
		for (size_t k = 0; k < profiler->rows.items[i].nr; k++)
			free(profiler->rows.items[i].items[k].text);
		free(profiler->rows.items[i].items);
	}
	free(profiler->rows.items);
	free(profiler->profile.rows.items);
}
