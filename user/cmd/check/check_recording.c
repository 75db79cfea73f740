// SPDX-License-Identifier: GPL-2.0
#include "cmd/check/check_recording.h"

#include <stdlib.h>
#include <string.h>

#include "record/body.h"

/* common_type has two bytes. */
#define TYPES_MAX 65536

struct error *check_event_words(const struct results *results, struct strbuf *ret)
{
	for (size_t i = 0; i < results->nr; i++)
		strbuf_addf(ret, "%s%s:%s", i ? "," : "", results->items[i]->system,
			    results->items[i]->name);
	return ret->failed ? &error_no_memory : NULL;
}

void check_types_deinit(struct check_types *types)
{
	free(types->events);
	free(types->formats);
	*types = (struct check_types){ 0 };
}

struct error *check_types_init(struct check_types *types, const struct results *results,
			       const struct formats *formats)
{
	*types = (struct check_types){
		calloc(TYPES_MAX, sizeof(*types->events)),
		calloc(results->nr + 1, sizeof(*types->formats)),
	};
	if (!types->events || !types->formats) {
		check_types_deinit(types);
		return &error_no_memory;
	}
	for (size_t i = 0; i < results->nr; i++) {
		const struct event_format *format =
			formats_find_name(formats, results->items[i]->system,
					  results->items[i]->name);

		types->formats[i] = format;
		if (format && format->id < TYPES_MAX)
			types->events[format->id] = i + 1;
	}
	return NULL;
}

size_t check_types_find(const struct check_types *types, const void *raw, size_t size)
{
	uint16_t type;

	if (size < sizeof(type))
		return SIZE_MAX;
	memcpy(&type, raw, sizeof(type));
	return types->events[type] - 1;
}

struct error *check_recording_run(const char *path, struct session_consumer *consumer,
				  uint64_t *ret_told, uint64_t *ret_lost)
{
	_cleanup_(reader) struct reader *reader = NULL;
	struct session session = { 0 };
	const struct ledger *ledger;
	struct ledger_row sum;
	struct error *err;

	err = reader_open(path, &reader);
	if (err)
		return err;
	session.source = reader_source(reader);
	session.events = reader_events(reader);
	session.formats = reader_formats(reader);
	err = session_run(&session, consumer);
	if (!err && ret_told)
		*ret_told = session.lost;
	if (err || !ret_lost)
		return err;
	*ret_lost = session.lost;
	ledger = reader_ledger(reader);
	if (!ledger)
		return NULL;
	sum = ledger_sum(ledger, UINT32_MAX);
	if (ledger_row_lost(&sum) == LEDGER_NOT_KNOWN)
		return NULL;
	if (ledger_row_lost(&sum) > *ret_lost)
		*ret_lost = ledger_row_lost(&sum);
	*ret_lost -= sum.lost[LEDGER_LOST_RECURSION];
	return NULL;
}

struct tasks_consumer {
	struct session_consumer consumer;
	struct task_tree *tree;
};

static struct error *take_task(struct session_consumer *consumer, const struct session_record *r)
{
	struct task_tree *tree = ((struct tasks_consumer *)consumer)->tree;
	const struct perf_event_header *header = r->record.header;
	const struct body_task *task = body_of(header, struct body_task);

	if (header->type == PERF_RECORD_FORK && task)
		task_tree_fork(tree, task->ptid, task->tid, r->record.time);
	if (header->type == PERF_RECORD_EXIT && task)
		task_tree_exit(tree, task->tid, r->record.time);
	return NULL;
}

struct error *check_recording_tasks(const char *path, struct task_tree *tree)
{
	struct tasks_consumer consumer = { .consumer.other = take_task, .tree = tree };

	return check_recording_run(path, &consumer.consumer, NULL, NULL);
}

struct records_consumer {
	struct session_consumer consumer;
	const struct check_types *types;
	const struct task_tree *tree;
	struct captured *captured;
	uint64_t bytes;
};

struct error *check_record_add(struct captured *captured, const struct check_types *types,
			       const struct task_tree *tree, const void *raw, size_t size,
			       uint64_t time, uint32_t cpu)
{
	size_t event = raw ? check_types_find(types, raw, size) : SIZE_MAX;
	const struct event_format *format = event == SIZE_MAX ? NULL : types->formats[event];
	enum task_place place = format ?
		task_tree_place(tree, captured_tid(format, raw, size), time) : TASK_OUTSIDE;
	const struct captured_record like = {
		.event = event, .time = time, .cpu = cpu, .is_whole = place == TASK_INSIDE,
	};

	return place == TASK_OUTSIDE ? NULL : captured_add(captured, format, &like, raw, size);
}

static struct error *take_record(struct session_consumer *consumer, const struct session_record *r)
{
	struct records_consumer *c = (struct records_consumer *)consumer;
	size_t nr = c->captured->nr;
	struct error *err;

	err = check_record_add(c->captured, c->types, c->tree, r->sample.raw, r->sample.raw_size,
			       r->record.time, r->sample.cpu);
	if (c->captured->nr != nr)
		c->bytes += r->record.header->size;
	return err;
}

struct error *check_recording_records(const char *path, const struct check_types *types,
				      const struct task_tree *tree, struct captured *ret,
				      uint64_t *ret_lost, uint64_t *ret_bytes)
{
	struct records_consumer consumer = {
		.consumer.sample = take_record, .types = types, .tree = tree, .captured = ret,
	};
	struct error *err;

	err = check_recording_run(path, &consumer.consumer, NULL, ret_lost);
	if (!err && ret_bytes)
		*ret_bytes = consumer.bytes;
	return err;
}
