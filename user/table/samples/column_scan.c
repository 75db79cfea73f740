// SPDX-License-Identifier: GPL-2.0
#include "table/samples/column_scan.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

#define BLOCK 512	/* records that are taken from the reader at once */
#define MANY_ROWS (1u << 20)	/* limit of rows to reserve in advance */

/* ---- choosing events and columns ------------------------------------------ */

void column_scan_init(struct column_scan *scan, struct reader *reader,
		      const struct column_scan_options *options)
{
	*scan = (struct column_scan){ .options = *options, .reader = reader };
}

void column_scan_deinit(struct column_scan *scan)
{
	session_finish(&scan->session);
	for (size_t i = 0; i < scan->nr; i++)
		columns_destroy(scan->items[i]);
	free(scan->items);
	scan->items = NULL;
	scan->nr = scan->alloc = 0;
}

bool column_scan_wants(const struct column_scan *scan, const struct event *event)
{
	const char *pattern = scan->options.pattern, *name = scan->options.event;

	if (name && strcmp(name, event->name))
		return false;
	return !pattern || !strcmp(pattern, event->name) || !fnmatch(pattern, event->name, 0);
}

struct error *column_scan_create_columns(const struct column_scan *scan, const struct event *event,
					 struct columns **ret)
{
	const struct event_format *format = event->attr.type != PERF_TYPE_TRACEPOINT ? NULL :
		event->format ? event->format :
		formats_find(reader_formats(scan->reader), event->attr.config);
	_cleanup_free_ const char **names = calloc(scan->options.nr_names + 1, sizeof(*names));
	struct error *err;
	size_t nr = 0;

	if (!names)
		return &error_no_memory;
	for (size_t i = 0; i < scan->options.nr_names; i++)
		if (!scan->options.lenient || columns_exist(event, format, scan->options.names[i]))
			names[nr++] = scan->options.names[i];
	err = columns_create(event, format, names, nr, ret);
	/* Without it, rows of several recordings could not be distinguished. */
	if (!err && !nr && reader_joined(scan->reader)) {
		err = columns_add_origin(*ret);
		if (err)
			columns_destroy(take_ptr(*ret));
	}
	return err;
}

struct columns *column_scan_columns(const struct column_scan *scan, const struct event *event)
{
	return event->index < scan->nr ? scan->items[event->index] : NULL;
}

/* Sets *ret to NULL if the event is not wanted. */
static struct error *scan_columns(struct column_scan *scan, const struct event *event,
				  struct columns **ret)
{
	struct error *err;

	if (!array_at(scan, event->index, 0))
		return &error_no_memory;
	*ret = scan->items[event->index];
	if (*ret || !column_scan_wants(scan, event))
		return NULL;
	err = column_scan_create_columns(scan, event, &scan->items[event->index]);
	*ret = scan->items[event->index];
	return err;
}

struct error *column_scan_prepare(struct column_scan *scan, bool *ret_any)
{
	const struct event_list *list = reader_events(scan->reader);
	struct error *err = NULL;

	*ret_any = false;
	for (size_t i = 0; i < list->nr && !err; i++) {
		struct columns *columns = NULL;

		err = scan_columns(scan, list->items[i], &columns);
		*ret_any = *ret_any || columns;
	}
	return err;
}

/* Whether a named column @matches; no names stand for all columns. */
static bool scan_names(const struct column_scan *scan, bool (*matches)(const char *name))
{
	for (size_t i = 0; i < scan->options.nr_names; i++)
		if (matches(scan->options.names[i]))
			return true;
	return false;
}

static bool is_comm(const char *name)
{
	return !strcmp(name, "_comm");
}

bool column_scan_needs_session(const struct column_scan *scan)
{
	if (reader_joined(scan->reader))
		return true;
	/* All columns means the columns that need no name in the options; _comm is among them. */
	return !scan->options.nr_names || scan_names(scan, is_comm) ||
	       scan_names(scan, columns_is_place);
}

static bool has_time(const struct column_scan *scan, uint64_t time)
{
	const struct time_range *times = &scan->options.times;

	return time >= times->start && (!times->end || time <= times->end);
}

/* ---- by a session -------------------------------------------------------- */

static struct error *scan_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct column_scan *scan = container_of(consumer, struct column_scan, consumer);
	struct columns *columns;
	struct error *err;

	if (!r->event || !has_time(scan, r->record.time))
		return NULL;
	err = scan_columns(scan, r->event, &columns);
	if (err || !columns)
		return err;
	err = columns_add_row(columns, r);
	if (columns_rows(columns) >= scan->options.rows)
		scan->full = r->event;
	return err;
}

struct error *column_scan_start_session(struct column_scan *scan, struct machine *machine)
{
	scan->by_session = true;
	scan->consumer.sample = scan_sample;
	scan->session = (struct session){
		.source = reader_source(scan->reader),
		.events = reader_events(scan->reader),
		.formats = reader_formats(scan->reader),
		.machine = scan_names(scan, columns_is_place) ? machine : NULL,
	};
	return session_start(&scan->session);
}

/* ---- straight from the reader -------------------------------------------- */

static struct error *scan_add_run(struct column_scan *scan, const struct event *event,
				  const struct perf_event_header *const *headers, size_t nr)
{
	size_t rows = scan->options.rows;
	struct columns *columns;
	struct error *err = scan_columns(scan, event, &columns);

	if (err || !columns || !nr)
		return err;
	if (!columns_rows(columns) && rows <= MANY_ROWS)
		err = columns_reserve(columns, rows + BLOCK);
	if (!err)
		err = columns_add(columns, headers, nr);
	if (columns_rows(columns) >= rows)
		scan->full = event;
	return err;
}

/* The same as event_list_find_record(), but recent ids are found in a cache. */
static struct event *scan_find_event(struct column_scan *scan, const struct event_list *list,
				     const struct perf_event_header *header)
{
	int at = list->nr > 1 && list->one_layout ? list->items[0]->id_offset : -1;
	struct event *event;
	uint64_t id;

	if (at < (int)sizeof(*header) || at + 8 > header->size)
		return event_list_find_record(list, header);
	memcpy(&id, (const char *)header + at, sizeof(id));
	if (id && scan->seen[id % COLUMN_SCAN_SEEN].id == id)
		return scan->seen[id % COLUMN_SCAN_SEEN].event;
	event = event_list_find_record(list, header);
	if (event) {
		scan->seen[id % COLUMN_SCAN_SEEN].id = id;
		scan->seen[id % COLUMN_SCAN_SEEN].event = event;
	}
	return event;
}

/* Read a block of records and add them event by event, because a block has few different ones. */
static struct error *step_reader(struct column_scan *scan, bool *more)
{
	const struct perf_event_header *block[BLOCK], *mine[BLOCK];
	struct event *events[BLOCK];
	struct event_list *list = reader_events(scan->reader);
	bool is_narrow = scan->options.times.start || scan->options.times.end;
	struct error *err = NULL;
	size_t nr = 0, left = 0;

	*more = reader_next_records(scan->reader, block, BLOCK, &nr, &err) == RECORD_OK;
	if (!*more)
		return err;
	for (size_t i = 0; i < nr; i++) {
		if (block[i]->type != PERF_RECORD_SAMPLE)
			continue;
		events[left] = scan_find_event(scan, list, block[i]);
		if (!events[left] || (is_narrow && !has_time(scan, event_record_time(events[left],
										     block[i]))))
			continue;
		block[left++] = block[i];
	}
	while (!err && left) {
		const struct event *event = events[0];
		size_t found = 0, kept = 0;

		for (size_t i = 0; i < left; i++) {
			if (events[i] == event) {
				mine[found++] = block[i];
			} else {
				events[kept] = events[i];
				block[kept++] = block[i];
			}
		}
		err = scan_add_run(scan, event, mine, found);
		left = kept;
	}
	return err;
}

struct error *column_scan_step(struct column_scan *scan, bool *ret_more)
{
	if (scan->by_session)
		return session_step(&scan->session, &scan->consumer, ret_more);
	return step_reader(scan, ret_more);
}
