// SPDX-License-Identifier: GPL-2.0
#include "recorder/live_records.h"

#include <stdlib.h>
#include <string.h>

#include "lib/monotonic.h"
#include "record/body.h"

#define CHUNK_BYTES	(256u << 10)

/* Records within this time share a chunk, and are dropped together. */
#define CHUNK_MS	250

struct live_chunk {
	struct live_chunk *next;	/* the newer one */
	uint64_t begun;			/* ms of CLOCK_MONOTONIC */
	size_t used, size;
	uint64_t data[];		/* whole records, each aligned to 8 bytes */
};

/*
 * The type of a header that precedes the records of a span in chunks.  It is never given or
 * written.
 */
#define LIVE_SPAN	UINT32_MAX

struct live_span {
	struct perf_event_header header;
	uint64_t cpu;
};

/* Drop old chunks that were read. */
static void live_drop_old(struct live_records *live, uint64_t now)
{
	struct live_chunk *chunk;

	while ((chunk = live->oldest) && chunk != live->reading && chunk != live->newest) {
		if (!live->forgets && live->kept_bytes <= LIVE_KEEP_BYTES &&
		    now - chunk->next->begun <= LIVE_KEEP_MS)
			break;
		live->oldest = chunk->next;
		live->kept_bytes -= chunk->size;
		free(chunk);
	}
}

static struct error *live_add_chunk(struct live_records *live, size_t size, uint64_t now)
{
	struct live_chunk *chunk;

	size = size > CHUNK_BYTES ? size : CHUNK_BYTES;
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk)
		return &error_no_memory;
	*chunk = (struct live_chunk){ .begun = now, .size = size };
	if (live->newest)
		live->newest->next = chunk;
	else
		live->oldest = live->reading = chunk;
	live->newest = chunk;
	live->kept_bytes += size;
	live_drop_old(live, now);
	return NULL;
}

/* The offset behind a record of @size bytes at @at. */
static size_t live_behind(size_t at, size_t size)
{
	return (at + size + 7) & ~(size_t)7;
}

static struct error *live_append(struct live_records *live, const void *data, size_t size,
				 uint32_t cpu)
{
	const struct live_span mark = {
		.header = { .type = LIVE_SPAN, .size = sizeof(mark) }, .cpu = cpu,
	};
	size_t room = live_behind(sizeof(mark), size);
	struct live_chunk *chunk = live->newest;
	uint64_t now = monotonic_ms();
	struct error *err = NULL;

	if (!chunk || chunk->size - chunk->used < room ||
	    now - chunk->begun > CHUNK_MS)
		err = live_add_chunk(live, room, now);
	if (err)
		return err;
	chunk = live->newest;
	memcpy((char *)chunk->data + chunk->used, &mark, sizeof(mark));
	memcpy((char *)chunk->data + chunk->used + sizeof(mark), data, size);
	chunk->used += room;
	return NULL;
}

/* Whether a record describes tasks or maps, so that it is in the history. */
static bool is_of_history(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_CGROUP:
		return true;
	}
	return false;
}

static bool live_is_written(uint32_t type)
{
	return type != LIVE_SPAN && type != RECORD_FINISHED_ROUND && !is_of_history(type);
}

static const struct perf_event_header *live_header_at(const void *data, size_t offset)
{
	return (const void *)((const char *)data + offset);
}

static struct error *live_sink_write(struct record_sink *sink, const struct record_span *span)
{
	struct live_records *live = container_of(sink, struct live_records, sink);
	const struct perf_event_header *header;
	struct error *err = NULL;

	for (size_t at = 0; at < span->size && !err; at += header->size) {
		const struct body_lost *lost;

		header = live_header_at(span->data, at);
		if (header->type == PERF_RECORD_SAMPLE) {
			live->samples++;
		} else if (is_of_history(header->type)) {
			const struct record_span one = { header, header->size, span->cpu };

			err = record_sink_write(&live->history.sink, &one);
		} else if (header->type == PERF_RECORD_LOST) {
			lost = body_of(header, struct body_lost);
			live->lost += lost ? lost->lost : 0;
		}
	}
	return err ? err : live_append(live, span->data, span->size, span->cpu);
}

static struct error *live_sink_round(struct record_sink *sink, uint64_t mark)
{
	struct live_records *live = container_of(sink, struct live_records, sink);
	struct {
		struct perf_event_header header;
		struct body_finished_round body;
	} round = {
		.header = { .type = RECORD_FINISHED_ROUND, .size = sizeof(round) },
		.body = { .mark = mark },
	};

	live->mark = mark;
	/* Without a mark, the record is that of perf. */
	if (!mark)
		round.header.size = sizeof(round.header);
	return live_append(live, &round, round.header.size, UINT32_MAX);
}

static const struct record_sink_ops live_sink_ops = {
	.write = live_sink_write, .round = live_sink_round,
};

static enum record_status live_next(struct record_source *source, struct record *ret,
				    struct error **err)
{
	struct live_records *live = container_of(source, struct live_records, source);
	const struct perf_event_header *header;

	do {
		while (live->reading && live->read_at == live->reading->used) {
			if (!live->reading->next)
				return live->ended ? RECORD_END : RECORD_LATER;
			live->reading = live->reading->next;
			live->read_at = 0;
		}
		if (!live->reading)
			return live->ended ? RECORD_END : RECORD_LATER;
		header = live_header_at(live->reading->data, live->read_at);
		live->read_at = live_behind(live->read_at, header->size);
	} while (header->type == LIVE_SPAN);
	*ret = (struct record){ .header = header };
	if (header->type < RECORD_USER_TYPE_START) {
		ret->event = event_list_find_record(plan_seen(live->plan), header);
		if (ret->event)
			ret->time = event_record_time(ret->event, header);
	}
	return RECORD_OK;
}

static const struct record_source_ops live_source_ops = { .next = live_next };

struct error *live_records_init(struct plan *plan, struct captures *captures,
			const struct writer_info *info, struct live_records *ret)
{
	struct error *err;

	*ret = (struct live_records){
		.plan = plan, .captures = captures, .info = info,
		.sink.ops = &live_sink_ops, .source.ops = &live_source_ops,
		.consumer.sink = &ret->sink,
	};
	err = task_history_init(plan, &ret->history);
	if (err)
		return err;
	return live_append(ret, strbuf_str(&ret->history.known), ret->history.known.len,
			   UINT32_MAX);
}

void live_records_deinit(struct live_records *live)
{
	while (live->oldest) {
		struct live_chunk *chunk = live->oldest;

		live->oldest = chunk->next;
		free(chunk);
	}
	task_history_deinit(&live->history);
	*live = (struct live_records){ 0 };
}

uint64_t live_records_kept_ms(const struct live_records *live)
{
	return live->oldest ? monotonic_ms() - live->oldest->begun : 0;
}

/* Write the records of a chunk that are not in the history, separately for each ring. */
static struct error *live_write_chunk(const struct live_chunk *chunk, struct record_sink *sink)
{
	size_t from = 0, end = 0, next;
	uint32_t cpu = UINT32_MAX;

	for (size_t at = 0; at < chunk->used; at = next) {
		const struct perf_event_header *header = live_header_at(chunk->data, at);
		bool kept = live_is_written(header->type);
		struct record_span span;
		struct error *err;

		next = live_behind(at, header->size);
		if (kept)
			end = at + header->size;
		if (kept && next < chunk->used)
			continue;
		span = (struct record_span){
			live_header_at(chunk->data, from), end > from ? end - from : 0, cpu,
		};
		err = span.size ? record_sink_write(sink, &span) : NULL;
		if (err)
			return err;
		if (header->type == LIVE_SPAN)
			cpu = ((const struct live_span *)header)->cpu;
		from = next;
	}
	return NULL;
}

struct error *live_records_write(struct live_records *live, const char *path, struct perf_file *ret)
{
	struct error *err = perf_file_create(path, plan_stored_events(live->plan), live->info, ret);

	if (err)
		return err;
	err = task_history_write(&live->history, ret->consumer.sink);
	if (!err)
		err = ret->consumer.clock(&ret->consumer, live->captures);
	for (struct live_chunk *chunk = live->oldest; chunk && !err; chunk = chunk->next)
		err = live_write_chunk(chunk, ret->consumer.sink);
	if (!err)
		err = record_sink_round(ret->consumer.sink, UINT64_MAX);
	return err ? perf_file_give_up(ret, err) : perf_file_finish(ret, live->captures, NULL);
}
