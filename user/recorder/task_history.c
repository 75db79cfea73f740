// SPDX-License-Identifier: GPL-2.0
#include "recorder/task_history.h"

/* The limit of the records about tasks that began and ended. */
#define SINCE_MAX (16 << 20)

struct known_sink {
	struct record_sink sink;
	struct strbuf *known;
};

static struct error *history_add_known(struct record_sink *sink, const struct record_span *span)
{
	struct strbuf *known = container_of(sink, struct known_sink, sink)->known;

	strbuf_add(known, span->data, span->size);
	return known->failed ? &error_no_memory : NULL;
}

static const struct record_sink_ops known_ops = { .write = history_add_known };

/* Collect all current tasks and maps. */
static struct error *history_know(struct task_history *history)
{
	struct known_sink sink = { { &known_ops }, &history->known };

	strbuf_reset(&history->known);
	return plan_synthesize(history->plan, &sink.sink);
}

/* Returns the position of the first record at or behind @from. */
static size_t history_next_record(const struct strbuf *records, size_t from)
{
	size_t at = 0;

	while (at < from)
		at += ((const struct perf_event_header *)(records->data + at))->size;
	return at;
}

/*
 * Drop the older half of the records.  Tasks that ended long ago are forgotten; for the remaining
 * ones, the current state is collected.
 */
static struct error *history_forget_half(struct task_history *history)
{
	struct strbuf rest = STRBUF_INIT;
	size_t half = history_next_record(&history->since, history->since.len / 2);

	strbuf_add(&rest, history->since.data + half, history->since.len - half);
	strbuf_deinit(&history->since);
	history->since = rest;
	return history_know(history);
}

static struct error *history_add_since(struct record_sink *sink, const struct record_span *span)
{
	struct task_history *history = container_of(sink, struct task_history, sink);
	struct error *err = NULL;

	if (history->since.len + span->size > SINCE_MAX && history->since.len)
		err = history_forget_half(history);
	strbuf_add(&history->since, span->data, span->size);
	return !err && history->since.failed ? &error_no_memory : err;
}

static const struct record_sink_ops since_ops = { .write = history_add_since };

static struct error *history_write_kept(const struct strbuf *records, struct record_sink *sink)
{
	struct record_span span = {
		.data = records->data, .size = records->len, .cpu = UINT32_MAX,
	};

	return records->len ? record_sink_write(sink, &span) : NULL;
}

struct error *task_history_write(const struct task_history *history, struct record_sink *sink)
{
	struct error *err = history_write_kept(&history->known, sink);

	return err ? err : history_write_kept(&history->since, sink);
}

struct error *task_history_trim(struct task_history *history, size_t bytes)
{
	struct error *err = NULL;

	while (!err && history->since.len > bytes)
		err = history_forget_half(history);
	return err;
}

struct error *task_history_init(const struct plan *plan, struct task_history *ret)
{
	*ret = (struct task_history){ .plan = plan, .sink.ops = &since_ops };
	return history_know(ret);
}

void task_history_deinit(struct task_history *history)
{
	strbuf_deinit(&history->known);
	strbuf_deinit(&history->since);
}
