// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "perfdata/write/writer_state.h"

/* The distance between offsets at which a recording may be cut when the disk is full. */
#define ENDS_APART	(16 * 1024)

static void writer_count_by_cpu(struct writer *writer, const struct event *event, uint32_t cpu,
				uint64_t samples)
{
	/* Records without a CPU are counted in the slot before CPU 0. */
	size_t slot = cpu == UINT32_MAX ? 0 : cpu + 1ULL;
	size_t nr_events = writer->events->nr, needed = (slot + 1) * nr_events;

	if (writer->by_cpu.failed)
		return;
	if (needed > writer->by_cpu.nr) {
		uint64_t *grown = reallocarray(writer->by_cpu.items, needed, sizeof(*grown));

		writer->by_cpu.failed = !grown;
		if (!grown)
			return;
		memset(grown + writer->by_cpu.nr, 0,
		       (needed - writer->by_cpu.nr) * sizeof(*grown));
		writer->by_cpu.items = grown;
		writer->by_cpu.nr = needed;
	}
	writer->by_cpu.items[slot * nr_events + event->index] += samples;
}

/* Note @samples of one event, for the index and for the header. */
static void watch_samples(struct writer *writer, const struct event *event, uint32_t cpu,
			  uint64_t samples, uint64_t first, uint64_t last)
{
	writer->samples += samples;
	if (writer->info.count_by_cpu && event)
		writer_count_by_cpu(writer, event, cpu, samples);
	if (first && (!writer->first_sample_time || first < writer->first_sample_time))
		writer->first_sample_time = first;
	if (last > writer->last_sample_time)
		writer->last_sample_time = last;
	index_add_samples(&writer->index, samples, first, last, cpu,
			  event ? event->index : UINT32_MAX);
}

static struct error *writer_pass_task(struct writer *writer,
				      const struct perf_event_header *header, uint32_t cpu)
{
	switch (header->type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_CGROUP:
		return record_sink_write(writer->tasks, &(struct record_span){ header, header->size,
									       cpu });
	}
	return NULL;
}

/* Note a record that will be at @offset.  Returns its event if it is a sample, else NULL. */
static const struct event *watch(struct writer *writer, const struct perf_event_header *header,
				 uint64_t offset, uint32_t cpu)
{
	const struct event *event = event_list_find_record(writer->events, header);
	uint64_t time = event ? event_record_time(event, header) : 0;

	if (header->type != PERF_RECORD_SAMPLE) {
		index_add_state(&writer->index, offset, time, header);
		binaries_watch(&writer->binaries, header);
		if (writer->tasks && !writer->failed)
			writer->failed = writer_pass_task(writer, header, cpu);
		return NULL;
	}
	watch_samples(writer, event, cpu, 1, time, time);
	return event;
}

static uint64_t u64_at(const char *p)
{
	return *(const uint64_t *)p;
}

/* Returns the end of the samples from @p on that have the same header and id as the first. */
static const char *alike_end(const char *p, const char *end, int id_at)
{
	uint64_t start = u64_at(p), id = u64_at(p + id_at);
	uint64_t size = ((const struct perf_event_header *)p)->size;
	const char *at_most = end - size;

	do
		p += size;
	while (p <= at_most && u64_at(p) == start && u64_at(p + id_at) == id);
	return p;
}

/*
 * Note the samples behind the record at @p that are of the same event, and return their end.  They
 * are most of a recording, and this runs while events are captured, so it must be fast.
 */
static const char *watch_run(struct writer *writer, const struct event *event, const char *p,
			     const char *end, uint32_t cpu)
{
	int id_at = event->id_offset, time_at = event->time_offset;
	int least = (id_at > time_at ? id_at : time_at) + (int)sizeof(uint64_t);
	uint64_t id, samples = 0, first = UINT64_MAX, last = 0;
	const struct perf_event_header *header = (const void *)p;

	if (id_at < 0 || time_at < 0 || header->size < least)
		return p + header->size;
	id = u64_at(p + id_at);
	p += header->size;
	while (end - p >= least) {
		const char *run = p;
		uint64_t size, step;

		header = (const void *)p;
		size = header->size;
		if (header->type != PERF_RECORD_SAMPLE || size < (uint64_t)least ||
		    size > (uint64_t)(end - p) || u64_at(p + id_at) != id)
			break;
		p = alike_end(p, end, id_at);
		/* If they are sorted by time, the first and the last are enough. */
		step = event->in_order ? (uint64_t)(p - run) - size : size;
		for (const char *at = run; at < p; at += step ? step : size) {
			uint64_t time = u64_at(at + time_at);

			if (time < first)
				first = time;
			if (time > last)
				last = time;
		}
		samples += (uint64_t)(p - run) == size ? 1 : (p - run) / size;
	}
	if (samples)
		watch_samples(writer, event, cpu, samples, first, last);
	return p;
}

/* Remember that the file may be cut at @offset. */
static struct error *add_end(struct writer *writer, uint64_t offset)
{
	if (writer->is_pipe ||
	    (writer->ends.nr && offset - writer->ends.items[writer->ends.nr - 1] < ENDS_APART))
		return NULL;
	return array_push(&writer->ends, offset) ? NULL : &error_no_memory;
}

/*
 * Note the records of a span that is written unchanged; entries of the index end at ends of
 * records.
 */
static struct error *watch_span(struct writer *writer, const struct record_span *span)
{
	struct error *err = NULL;

	const char *p = span->data, *end = p + span->size;

	while (!err && (size_t)(end - p) >= sizeof(struct perf_event_header)) {
		const struct perf_event_header *header = (const void *)p;
		uint64_t offset = writer->bytes + (p - (const char *)span->data), left;
		const struct event *event;

		if (header->size < sizeof(*header))
			break;
		if (!writer->index.open.samples)
			writer->entry_start = offset;
		event = watch(writer, header, offset, span->cpu);
		left = writer->entry_start + INDEX_ENTRY_BYTES - offset;
		if (event)
			p = watch_run(writer, event, p, left < (size_t)(end - p) ? p + left : end,
				      span->cpu);
		else
			p += header->size;
		offset = writer->bytes + (p - (const char *)span->data);
		if (offset - writer->entry_start >= INDEX_ENTRY_BYTES)
			index_close_entry(&writer->index, writer->entry_start, offset);
		err = add_end(writer, offset);
	}
	return err;
}

struct error *writer_flush_piece(struct writer *writer)
{
	_cleanup_(strbuf) struct strbuf records = STRBUF_INIT;
	struct error *err;

	if (!writer->piece.len)
		return writer->piece.failed ? &error_no_memory : NULL;
	err = compressor_add(writer->compressor, writer->piece.data, writer->piece.len, &records);
	if (err)
		return err;
	writer->compressed_from += writer->piece.len;
	writer->compressed_to += records.len;
	strbuf_reset(&writer->piece);
	index_close_entry(&writer->index, writer->bytes, writer->bytes + records.len);
	err = writer_put(writer, records.data, records.len);
	return err ? err : add_end(writer, writer->bytes);
}

/*
 * Gather records into pieces.  A piece holds whole records, so that it can be read without its
 * neighbours.
 */
static struct error *compress(struct writer *writer, const struct record_span *span)
{
	const char *p = span->data, *next, *end = p + span->size;
	const struct event *event;
	struct error *err = NULL;
	size_t room;

	while (!err && (size_t)(end - p) >= sizeof(struct perf_event_header)) {
		const struct perf_event_header *header = (const void *)p;

		if (header->size < sizeof(*header))
			break;
		if (writer->piece.len + header->size > COMPRESSOR_PIECE)
			err = writer_flush_piece(writer);
		next = p + header->size;
		room = COMPRESSOR_PIECE - writer->piece.len;
		event = watch(writer, header, writer->bytes, span->cpu);
		if (event)
			next = watch_run(writer, event, p,
					 room < (size_t)(end - p) ? p + room : end, span->cpu);
		strbuf_add(&writer->piece, p, next - p);
		p = next;
		if (writer->piece.failed)
			err = &error_no_memory;
	}
	return err;
}

static struct error *writer_write(struct record_sink *sink, const struct record_span *span)
{
	struct writer *writer = container_of(sink, struct writer, sink);
	struct error *err;

	err = writer->compressor ? compress(writer, span) : watch_span(writer, span);
	if (!err)
		err = take_ptr(writer->failed);
	if (err || writer->compressor)
		return err;
	return writer_put(writer, span->data, span->size);
}

static struct error *writer_round(struct record_sink *sink, uint64_t mark)
{
	struct writer *writer = container_of(sink, struct writer, sink);
	struct perfdata_finished_round round = {
		.header = { .type = RECORD_FINISHED_ROUND, .size = sizeof(round.header) },
		.body.mark = mark,
	};
	struct error *err;
	int ret;

	err = writer_flush_piece(writer);
	if (err)
		return err;
	if (mark)
		round.header.size = sizeof(round);
	err = writer_put(writer, &round, round.header.size);
	if (err)
		return err;
	/*
	 * The reader of a pipe waits for these records; those in a file should survive
	 * the end of this process.
	 */
	if (writer->is_pipe)
		return writer_flush(writer);
	ret = output_sync(writer->output);
	return ret < 0 ? writer_error(writer, -ret) : NULL;
}

const struct record_sink_ops writer_sink_ops = {
	.write = writer_write,
	.round = writer_round,
};
