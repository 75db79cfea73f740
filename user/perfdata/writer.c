// SPDX-License-Identifier: GPL-2.0
#include "perfdata/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/bytes.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "lib/new_file.h"
#include "lib/socket_address.h"
#include "lib/strbuf.h"
#include "perfdata/binaries.h"
#include "perfdata/compressor.h"
#include "perfdata/connection.h"
#include "perfdata/description.h"
#include "perfdata/extension.h"
#include "perfdata/features.h"
#include "perfdata/index.h"
#include "perfdata/layout.h"
#include "perfdata/output.h"
#include "perfdata/own_sections.h"
#include "perfdata/tracing_data.h"

/* The largest record: header.size has 16 bits, and records are 8-aligned. */
#define RECORD_MAX	65528

/* The distance between offsets at which a recording may be cut when the disk is full. */
#define ENDS_APART	(16 * 1024)

/*
 * Room that a file system may need beside the bytes themselves when the end of a file
 * is written.
 */
#define END_ROOM	(64 * 1024)

/* How often we check whether a FIFO has a reader by now. */
#define READER_POLL_MS	50

struct writer {
	struct record_sink sink;
	const struct event_list *events;
	struct writer_info info;
	const struct description *description;	/* of another machine's recording; NULL: ours */
	struct new_file file;	/* path NULL: written in place */
	bool is_pipe;
	bool keeps_all;		/* writer_keep_all() */
	const char *peer;	/* the address of the listener, borrowed; NULL: no connection */
	struct {
		uint64_t bytes, samples;	/* once these bytes are sent, so many samples are */
		uint64_t sent;			/* at least so many samples are */
	} progress;		/* of a connection */
	struct strbuf tracing_data;
	struct clock_pairs clocks;

	struct compressor *compressor;	/* NULL: none */
	struct strbuf piece;		/* records that it gets next */
	uint64_t compressed_from, compressed_to;	/* bytes */

	struct output *output;
	uint64_t data_start;	/* offset of the first record in the file */
	uint64_t bytes;		/* everything given to the output */
	uint64_t samples;
	struct {
		uint64_t *items;	/* samples, by CPU and then by event */
		size_t nr;
		bool failed;
	} by_cpu;
	struct error *failed;		/* to pass something to `tasks`; owned */
	struct record_sink *tasks;	/* gets records of tasks and maps; NULL: nobody */
	uint64_t first_sample_time, last_sample_time;
	struct binaries binaries;
	struct index index;
	uint64_t entry_start;	/* offset of the index's open entry */
	struct {
		uint64_t *items;
		size_t nr, alloc;
	} ends;			/* offsets at which whole records end, some KiB apart */
};

/* Whether nothing may be written that only ktrace knows. */
static bool is_foreign(const struct writer *writer)
{
	return writer->description && writer->description->foreign;
}

static struct error *write_error(const struct writer *writer, int code)
{
	const char *name = writer->file.path ? writer->file.path : writer->peer ? writer->peer :
			   "the output";
	struct error *err;

	if (writer->peer && (code == EPIPE || code == ECONNRESET))
		return error_new(code, "The reader at %s has gone, so the recording ended: at least "
				 "%llu samples had been sent to it", name,
				 (unsigned long long)writer->progress.sent);
	if (code == EINTR)
		return error_new(code, "The end of the recording is missing: nobody reads what "
				 "is written to %s", name);
	err = error_errno(code, "Cannot write to %s", name);
	if (code == ENOSPC)
		error_hint(err, "Make room, or write elsewhere with -o FILE");
	return err;
}

/* Note how much of a connection's stream is certainly sent. */
static void watch_progress(struct writer *writer)
{
	if (!writer->peer || output_stored(writer->output) < writer->progress.bytes)
		return;
	writer->progress.sent = writer->progress.samples;
	writer->progress.bytes = writer->bytes;
	writer->progress.samples = writer->samples;
}

static struct error *writer_flush(struct writer *writer)
{
	int ret = output_flush(writer->output);

	watch_progress(writer);
	return ret < 0 ? write_error(writer, -ret) : NULL;
}

static struct error *writer_put(struct writer *writer, const void *data, size_t size)
{
	int ret = output_put(writer->output, data, size);

	writer->bytes += size;
	watch_progress(writer);
	return ret < 0 ? write_error(writer, -ret) : NULL;
}

static struct error *put_text(struct writer *writer, const struct strbuf *text)
{
	return text->failed ? &error_no_memory : writer_put(writer, text->data, text->len);
}

static void writer_count_by_cpu(struct writer *writer, const struct event *event, uint32_t cpu,
				uint64_t samples)
{
	/* Records that are of no CPU are counted before those of CPU 0. */
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

/* Note a record that will lie at @offset.  Returns its event if it is a sample, else NULL. */
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

/* Give the end of the samples from @p on that have the same header and id as the first. */
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
 * Note the samples that follow the record at @p and are of the same event, and return
 * where they end.  They are most of a recording, and this runs while events are
 * captured, so it must be fast.
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
		/*
		 * If they are in the order of their times, the first and the last are
		 * enough.
		 */
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
 * Note the records of a span that is written as it is; entries of the index end where
 * records do.
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

static struct error *flush_piece(struct writer *writer)
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
 * Gather records into pieces.  A piece holds whole records, so that it can be read
 * without its neighbours.
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
			err = flush_piece(writer);
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

	err = flush_piece(writer);
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
	return ret < 0 ? write_error(writer, -ret) : NULL;
}

static const struct record_sink_ops writer_sink_ops = {
	.write = writer_write,
	.round = writer_round,
};

static struct perf_event_attr stored_attr(const struct writer *writer, const struct event *event)
{
	struct perf_event_attr attr = event->attr;

	attr.size = feature_attr_size(writer->events);
	return attr;
}

/* Make the header; a data_size of 0 tells readers that the recording was never completed. */
static struct perfdata_header make_header(const struct writer *writer, uint64_t data_size)
{
	size_t nr = writer->events->nr;
	uint64_t entry = feature_attr_size(writer->events) + sizeof(struct perfdata_section);

	return (struct perfdata_header){
		.magic = PERFDATA_MAGIC,
		.size = sizeof(struct perfdata_header),
		.attr_size = entry,
		.attrs = { writer->data_start - nr * entry, nr * entry },
		.data = { writer->data_start, data_size },
	};
}

static struct error *put_file_start(struct writer *writer)
{
	const struct event_list *events = writer->events;
	uint64_t ids_at = sizeof(struct perfdata_header);
	struct perfdata_header header;
	struct error *err;
	size_t nr_ids = 0;

	for (size_t i = 0; i < events->nr; i++)
		nr_ids += events->items[i]->nr_ids;
	writer->data_start = ids_at + nr_ids * sizeof(uint64_t) +
		events->nr * (feature_attr_size(events) + sizeof(struct perfdata_section));
	header = make_header(writer, 0);
	err = writer_put(writer, &header, sizeof(header));
	for (size_t i = 0; i < events->nr && !err; i++)
		err = writer_put(writer, events->items[i]->ids,
				 events->items[i]->nr_ids * sizeof(uint64_t));
	for (size_t i = 0; i < events->nr && !err; i++) {
		struct perf_event_attr attr = stored_attr(writer, events->items[i]);
		struct perfdata_section ids = {
			ids_at, events->items[i]->nr_ids * sizeof(uint64_t),
		};

		err = writer_put(writer, &attr, attr.size);
		if (!err)
			err = writer_put(writer, &ids, sizeof(ids));
		ids_at += ids.size;
	}
	return err;
}

static struct error *put_record(struct writer *writer, uint32_t type,
				const void *body, size_t size)
{
	struct perf_event_header header = { .type = type };
	static const char zeros[8];
	size_t padding = -size & 7;
	struct error *err;

	header.size = sizeof(header) + size + padding;
	err = writer_put(writer, &header, sizeof(header));
	if (!err)
		err = writer_put(writer, body, size);
	if (!err)
		err = writer_put(writer, zeros, padding);
	return err;
}

static struct error *put_attr(struct writer *writer, const struct event *event)
{
	_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;
	struct perf_event_attr attr = stored_attr(writer, event);

	strbuf_add(&body, &attr, attr.size);
	strbuf_add(&body, event->ids, event->nr_ids * sizeof(uint64_t));
	if (body.failed)
		return &error_no_memory;
	if (body.len > RECORD_MAX - sizeof(struct perf_event_header))
		return error_hint(error_new(E2BIG, "%s is recorded on too many CPUs for a pipe",
					    event->name), "Record into a file");
	return put_record(writer, RECORD_HEADER_ATTR, body.data, body.len);
}

/* Write the event's name, and behind it a piece of the extension. */
static struct error *put_name(struct writer *writer, const struct event *event,
			      const struct strbuf *extension)
{
	_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;

	bytes_add_u64(&body, BODY_UPDATE_NAME);
	bytes_add_u64(&body, event->nr_ids ? event->ids[0] : 0);
	strbuf_add(&body, event->name, strlen(event->name) + 1);
	bytes_add_zeros(&body, -body.len & 7);
	strbuf_add(&body, strbuf_str(extension), extension->len);
	if (body.failed || extension->failed)
		return &error_no_memory;
	if (body.len > RECORD_MAX - sizeof(struct perf_event_header))
		return NULL;
	return put_record(writer, RECORD_EVENT_UPDATE, body.data, body.len);
}

/* Whether a pipe has it as a FEATURE record; what tells of a file's own bytes is left out. */
static bool belongs_in_pipe(unsigned int bit)
{
	switch (bit) {
	case FEATURE_TRACING_DATA:
	case FEATURE_BUILD_ID:
	case FEATURE_AUXTRACE:
	case FEATURE_DIR_FORMAT:
	case FEATURE_COMPRESSED:
		return false;
	default:
		return !own_section_is(bit);
	}
}

/* The features that are known before the first record. */
static const enum feature pipe_features[] = {
	FEATURE_HOSTNAME, FEATURE_OSRELEASE, FEATURE_VERSION, FEATURE_ARCH,
	FEATURE_NRCPUS, FEATURE_CPUDESC, FEATURE_CPUID, FEATURE_TOTAL_MEM,
	FEATURE_CMDLINE, FEATURE_PMU_MAPPINGS, FEATURE_CLOCKID,
};

/* What another recording's header says, in the order of the bits. */
static struct error *put_described_features(struct writer *writer)
{
	struct error *err = NULL;

	for (unsigned int bit = 0; bit < FEATURES_MAX && !err; bit++) {
		const struct strbuf *content = &writer->description->features[bit];
		_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;

		if (!content->len || content->len >= RECORD_MAX - 24 || !belongs_in_pipe(bit))
			continue;
		bytes_add_u64(&body, bit);
		strbuf_add(&body, content->data, content->len);
		err = body.failed ? &error_no_memory :
				    put_record(writer, RECORD_HEADER_FEATURE, body.data, body.len);
	}
	return err;
}

static struct error *put_pipe_features(struct writer *writer)
{
	struct feature_source source = { .events = writer->events, .info = &writer->info };

	for (size_t i = 0; i < ARRAY_SIZE(pipe_features); i++) {
		_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;
		struct error *err;
		size_t empty;

		bytes_add_u64(&body, pipe_features[i]);
		empty = body.len;
		err = feature_build(pipe_features[i], &source, &body);
		if (!err && body.len > empty && body.len < RECORD_MAX - 16)
			err = put_record(writer, RECORD_HEADER_FEATURE, body.data, body.len);
		if (err)
			return err;
	}
	return NULL;
}

/* What another recording holds of its binaries comes before the maps of these. */
static struct error *put_embedded(struct writer *writer)
{
	const struct header *header = reader_header(writer->description->reader);
	struct error *err = NULL;

	if (!writer->events->nr)
		return NULL;
	for (size_t done = 0; done < header->embedded_size && !err; done += EXTENSION_PIECE) {
		_cleanup_(strbuf) struct strbuf piece = STRBUF_INIT;
		size_t left = header->embedded_size - done;

		extension_add_embedded(header->embedded + done,
				       left < EXTENSION_PIECE ? left : EXTENSION_PIECE, &piece);
		err = put_name(writer, writer->events->items[0], &piece);
	}
	return err;
}

static struct error *put_pipe_start(struct writer *writer)
{
	struct perfdata_pipe_header header = { PERFDATA_MAGIC, sizeof(header) };
	struct body_tracing_data tracing = { writer->tracing_data.len };
	const struct event_list *events = writer->events;
	struct error *err;

	err = writer_put(writer, &header, sizeof(header));
	for (size_t i = 0; i < events->nr && !err; i++)
		err = put_attr(writer, events->items[i]);
	for (size_t i = 0; i < events->nr && !err; i++) {
		_cleanup_(strbuf) struct strbuf extension = STRBUF_INIT;

		if (!is_foreign(writer))
			extension_add_event(events->items[i], &extension);
		err = put_name(writer, events->items[i], &extension);
	}
	if (!err)
		err = writer->description ? put_described_features(writer) :
					    put_pipe_features(writer);
	if (!err && writer->description)
		err = put_embedded(writer);
	if (err || !tracing.size)
		return err;
	bytes_add_zeros(&writer->tracing_data, -tracing.size & 7);
	tracing.size = writer->tracing_data.len;
	err = put_record(writer, RECORD_TRACING_DATA, &tracing, sizeof(tracing));
	return err ? err : put_text(writer, &writer->tracing_data);
}

/*
 * Open standard output again, for a file description that never blocks: others share
 * the original one and do not expect that of it.  A socket cannot be opened again, and
 * what is sent to it does not block anyway.
 */
static struct error *open_stdout(struct writer *writer)
{
	struct stat st;

	writer->is_pipe = true;
	if (!fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode))
		writer->file.fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (writer->file.fd < 0)
		writer->file.fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	return writer->file.fd < 0 ? error_errno(errno, "Standard output") : NULL;
}

/* Opening a FIFO waits for its reader; a signal ends the wait. */
static struct error *open_in_place(struct writer *writer, const char *path)
{
	for (;;) {
		writer->file.fd = open(path, O_WRONLY | O_CLOEXEC |
				       (writer->is_pipe ? O_NONBLOCK : 0));
		if (writer->file.fd >= 0)
			return NULL;
		if (!writer->is_pipe || errno != ENXIO)
			return error_errno(errno, "Cannot write to %s", path);
		if (interrupt_signal())
			return error_new(EINTR, "Nothing was recorded: nobody reads from %s", path);
		interrupt_poll(NULL, 0, READER_POLL_MS);
	}
}

/*
 * Create a file under an unused name beside @path.  If @path is no regular file, it is
 * written in place.
 */
static struct error *open_output(struct writer *writer, const char *path)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return open_stdout(writer);
	if (socket_address_is_one(path)) {
		writer->is_pipe = true;
		writer->peer = path;
		return connection_open(path, writer->info.token, &writer->file.fd);
	}
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		if (S_ISDIR(st.st_mode))
			return error_hint(error_errno(EISDIR, "Cannot write to %s", path),
					  "Name a file with -o FILE");
		writer->is_pipe = S_ISFIFO(st.st_mode);
		return open_in_place(writer, path);
	}
	return new_file_create(&writer->file, path);
}

void writer_abort(struct writer *writer)
{
	if (!writer)
		return;
	output_destroy(writer->output);
	new_file_deinit(&writer->file);
	strbuf_deinit(&writer->tracing_data);
	strbuf_deinit(&writer->piece);
	compressor_destroy(writer->compressor);
	free(writer->clocks.items);
	free(writer->by_cpu.items);
	error_free(writer->failed);
	free(writer->ends.items);
	binaries_deinit(&writer->binaries);
	index_deinit(&writer->index);
	free(writer);
}

struct error *writer_create(const char *path, const struct event_list *events,
			    const struct writer_info *info, struct writer **ret)
{
	struct writer *writer = calloc(1, sizeof(*writer));
	struct error *err;

	if (!writer)
		return &error_no_memory;
	writer->sink.ops = &writer_sink_ops;
	writer->events = events;
	writer->info = *info;
	writer->file = (struct new_file)NEW_FILE_INIT;
	/* Some events exist only while recording, so their formats are read now. */
	err = tracing_data_build(events, &writer->tracing_data);
	if (!err)
		err = open_output(writer, path);
	if (!err) {
		writer->output = output_create(writer->file.fd,
					       info->direct ? writer->file.temporary : NULL);
		err = writer->output ? NULL : &error_no_memory;
	}
	if (!err && writer->peer)
		output_spare_signal(writer->output);
	if (!err && info->compression && writer->is_pipe)
		err = error_hint(error_new(EINVAL, "A pipe cannot be compressed"),
				 "Record into a file, or pipe it through zstd");
	if (!err && info->compression)
		err = compressor_create(info->compression, &writer->compressor);
	if (!err)
		err = writer->is_pipe ? put_pipe_start(writer) : put_file_start(writer);
	if (!err && writer->is_pipe)
		err = writer_flush(writer);
	/* A pipe has no place for an index. */
	writer->index.failed = writer->is_pipe;
	if (err) {
		writer_abort(writer);
		return err;
	}
	*ret = writer;
	return NULL;
}

struct error *writer_create_described(const char *path, const struct description *description,
				      struct writer **ret)
{
	const struct strbuf *formats = &description->features[FEATURE_TRACING_DATA];
	struct writer *writer = calloc(1, sizeof(*writer));
	struct error *err;

	if (!writer)
		return &error_no_memory;
	writer->sink.ops = &writer_sink_ops;
	writer->events = reader_events(description->reader);
	writer->info.clockid = -1;
	writer->description = description;
	writer->file = (struct new_file)NEW_FILE_INIT;
	strbuf_add(&writer->tracing_data, strbuf_str(formats), formats->len);
	err = writer->tracing_data.failed ? &error_no_memory : open_output(writer, path);
	if (!err) {
		writer->output = output_create(writer->file.fd, NULL);
		err = writer->output ? NULL : &error_no_memory;
	}
	if (!err) {
		if (writer->peer)
			output_spare_signal(writer->output);
		err = writer->is_pipe ? put_pipe_start(writer) : put_file_start(writer);
	}
	writer->index.failed = writer->is_pipe;
	if (err) {
		writer_abort(writer);
		return err;
	}
	*ret = writer;
	return NULL;
}

struct record_sink *writer_sink(struct writer *writer)
{
	return &writer->sink;
}

struct error *writer_add_clock(struct writer *writer, const struct clock_pair *pair)
{
	return array_push(&writer->clocks, *pair) ? NULL : &error_no_memory;
}

void writer_keep_all(struct writer *writer)
{
	writer->keeps_all = true;
}

struct error *writer_store(struct writer *writer)
{
	return writer_flush(writer);
}

uint64_t writer_bytes(const struct writer *writer)
{
	return writer->bytes;
}

uint64_t writer_samples(const struct writer *writer)
{
	return writer->samples;
}

uint64_t writer_recorded(const struct writer *writer, size_t event, uint32_t cpu)
{
	uint64_t slot = cpu == UINT32_MAX ? 0 : cpu + 1ULL;
	uint64_t at = slot * writer->events->nr + event;

	return at < writer->by_cpu.nr ? writer->by_cpu.items[at] : 0;
}

void writer_watch_tasks(struct writer *writer, struct record_sink *tasks)
{
	writer->tasks = tasks;
}

struct error *writer_set_path(struct writer *writer, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return &error_no_memory;
	free(writer->file.path);
	writer->file.path = copy;
	return NULL;
}

uint64_t writer_uncompressed_bytes(const struct writer *writer)
{
	return writer->bytes + writer->compressed_from - writer->compressed_to;
}

static void build_compressed(const struct writer *writer, struct strbuf *ret)
{
	uint64_t to = writer->compressed_to;

	if (!writer->compressor)
		return;
	bytes_add_u32(ret, 1);
	bytes_add_u32(ret, COMPRESSOR_ZSTD);
	bytes_add_u32(ret, writer->info.compression);
	bytes_add_u32(ret, to ? (writer->compressed_from + to / 2) / to : 1);
	bytes_add_u32(ret, COMPRESSOR_ROOM);
}

static struct error *finish_pipe(struct writer *writer, const struct ledger *ledger)
{
	const size_t rows = (RECORD_MAX - 4096) / sizeof(struct perfdata_ledger_row);
	struct error *err = NULL;

	if (!writer->events->nr)
		return NULL;
	for (size_t i = 0; ledger && i < ledger->nr && !err; i += rows) {
		_cleanup_(strbuf) struct strbuf extension = STRBUF_INIT;
		size_t nr = ledger->nr - i < rows ? ledger->nr - i : rows;

		extension_add_ledger(ledger->items + i, nr, &extension);
		err = put_name(writer, writer->events->items[0], &extension);
	}
	if (!err && writer->clocks.nr) {
		_cleanup_(strbuf) struct strbuf extension = STRBUF_INIT;

		extension_add_clocks(&writer->clocks, &extension);
		err = put_name(writer, writer->events->items[0], &extension);
	}
	return err ? err : writer_flush(writer);
}

static struct error *read_back(int fd, struct strbuf *ret)
{
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t n;

	if (size < 0 || !strbuf_reserve(ret, size))
		return &error_no_memory;
	n = fd_pread_all(fd, ret->data + ret->len, size, 0);
	if (n < 0)
		return error_errno(-n, "Cannot keep the description of a recording");
	ret->len += n;
	return NULL;
}

static struct error *describe_formats(struct writer *writer)
{
	const struct strbuf *given = writer->info.tracing_data;

	if (!given)
		return tracing_data_build(writer->events, &writer->tracing_data);
	strbuf_add(&writer->tracing_data, given->data, given->len);
	return writer->tracing_data.failed ? &error_no_memory : NULL;
}

struct error *writer_describe(const struct event_list *events, const struct writer_info *info,
			      const struct clock_pair *pair, struct strbuf *ret)
{
	struct writer *writer = calloc(1, sizeof(*writer));
	struct error *err;

	if (!writer)
		return &error_no_memory;
	writer->events = events;
	writer->info = *info;
	writer->is_pipe = true;
	writer->file = (struct new_file)NEW_FILE_INIT;
	writer->file.fd = memfd_create("description", MFD_CLOEXEC);
	err = writer->file.fd < 0 ? error_errno(errno, "Cannot describe a recording") :
				    describe_formats(writer);
	if (!err) {
		writer->output = output_create(writer->file.fd, NULL);
		err = writer->output ? writer_add_clock(writer, pair) : &error_no_memory;
	}
	if (!err)
		err = put_pipe_start(writer);
	if (!err)
		err = finish_pipe(writer, NULL);
	if (!err)
		err = read_back(writer->file.fd, ret);
	writer_abort(writer);
	return err;
}

static struct error *build_content(struct writer *writer, int bit,
				   const struct ledger *ledger, struct strbuf *ret)
{
	struct feature_source source = {
		.events = writer->events,
		.info = &writer->info,
		.clock = writer->clocks.nr ? &writer->clocks.items[0] : NULL,
		.binaries = &writer->binaries,
		.first_sample_time = writer->first_sample_time,
		.last_sample_time = writer->last_sample_time,
	};
	const struct header *described =
		writer->description ? reader_header(writer->description->reader) : NULL;

	switch (bit) {
	case FEATURE_TRACING_DATA:
		strbuf_add(ret, strbuf_str(&writer->tracing_data), writer->tracing_data.len);
		return ret->failed ? &error_no_memory : NULL;
	case FEATURE_COMPRESSED:
		build_compressed(writer, ret);
		return ret->failed ? &error_no_memory : NULL;
	case FEATURE_KTRACE:
		if (is_foreign(writer))
			return NULL;
		extension_add_events(writer->events, ret);
		extension_add_clocks(&writer->clocks, ret);
		if (ledger)
			extension_add_ledger(ledger->items, ledger->nr, ret);
		if (described)
			extension_add_embedded(described->embedded, described->embedded_size, ret);
		return ret->failed ? &error_no_memory : NULL;
	case FEATURE_KTRACE_INDEX:
		index_build(&writer->index, ret);
		return ret->failed ? &error_no_memory : NULL;
	case FEATURE_EVENT_DESC:
	case FEATURE_SAMPLE_TIME:
		return feature_build(bit, &source, ret);
	default:
		if (writer->description) {
			const struct strbuf *content = &writer->description->features[bit];

			strbuf_add(ret, strbuf_str(content), content->len);
			return ret->failed ? &error_no_memory : NULL;
		}
		return feature_build(bit, &source, ret);
	}
}

/*
 * Append the contents of one feature at a multiple of 8; *ret's size is 0 if it is
 * empty.  The last feature has no padding behind it, so that a file that lacks a byte
 * is recognized as cut.
 */
static struct error *add_content(struct writer *writer, int bit, const struct ledger *ledger,
				 struct strbuf *contents, struct perfdata_section *ret)
{
	size_t before = contents->len, start;
	struct error *err;

	bytes_add_zeros(contents, -before & 7);
	start = contents->len;
	err = build_content(writer, bit, ledger, contents);
	*ret = (struct perfdata_section){ start, contents->len - start };
	if (!ret->size)
		contents->len = before;
	return err;
}

/*
 * Build the end of the file: first the table of perf's features, then struct
 * perfdata_own_sections and our own features, then perf's.
 */
static struct error *build_end(struct writer *writer, uint64_t at, const struct ledger *ledger,
			       struct perfdata_header *header, struct strbuf *ret)
{
	struct perfdata_section sections[FEATURES_MAX] = { 0 };
	_cleanup_(strbuf) struct strbuf contents = STRBUF_INIT;
	struct error *err = NULL;
	size_t nr = 0;

	for (int own = 1; own >= 0; own--)
		for (int bit = 0; bit < FEATURES_MAX && !err; bit++) {
			if (own_section_is(bit) != own)
				continue;
			err = add_content(writer, bit, ledger, &contents, &sections[bit]);
			if (own || !sections[bit].size)
				continue;
			header->features[bit / 64] |= 1ULL << (bit % 64);
			nr++;
		}
	if (err)
		return err;
	at += nr * sizeof(*sections) + sizeof(struct perfdata_own_sections);
	for (int bit = 0; bit < FEATURES_MAX; bit++) {
		sections[bit].offset = sections[bit].size ? sections[bit].offset + at : 0;
		if (sections[bit].size && !own_section_is(bit))
			strbuf_add(ret, &sections[bit], sizeof(sections[bit]));
	}
	own_sections_build(sections, false, ret);
	strbuf_add(ret, strbuf_str(&contents), contents.len);
	return contents.failed || ret->failed ? &error_no_memory : NULL;
}

static struct error *put_header(struct writer *writer, const struct perfdata_header *header)
{
	/* What is written in place (such as /dev/null) cannot always be written twice. */
	if (pwrite(writer->file.fd, header, sizeof(*header), 0) != sizeof(*header) &&
	    writer->file.path)
		return write_error(writer, errno);
	return NULL;
}

static struct error *finish_file(struct writer *writer, const struct ledger *ledger)
{
	struct perfdata_header header = make_header(writer, writer->bytes - writer->data_start);
	_cleanup_(strbuf) struct strbuf end = STRBUF_INIT;
	struct error *err;

	err = build_end(writer, writer->bytes, ledger, &header, &end);
	if (!err)
		err = put_text(writer, &end);
	if (!err)
		err = writer_flush(writer);
	return err ? err : put_header(writer, &header);
}

/* Give the file its name; as with perf, an older file is kept as PATH.old. */
static struct error *take_name(struct writer *writer)
{
	_cleanup_free_ char *old = NULL;
	struct stat st;

	if (!writer->file.temporary)
		return NULL;
	if (!lstat(writer->file.path, &st) && st.st_size) {
		if (asprintf(&old, "%s.old", writer->file.path) < 0) {
			old = NULL;
			return &error_no_memory;
		}
		if (rename(writer->file.path, old))
			log_warning("Cannot keep the older %s as %s: %s.", writer->file.path, old,
				    strerror(errno));
	}
	return new_file_commit(&writer->file);
}

/* Make a ledger that says that an unknown number of records is missing behind the cut. */
static struct error *unknown_ledger(struct ledger *ret)
{
	return ledger_add(ret, &(struct ledger_row){
		.event = UINT32_MAX, .cpu = UINT32_MAX, .proof = LEDGER_UNKNOWN,
		.filtered = LEDGER_NOT_KNOWN,
		.lost[LEDGER_LOST_OTHER] = LEDGER_NOT_KNOWN,
	});
}

/* End the file at @at.  The last bytes take the room of records that are cut off. */
static int end_at(struct writer *writer, uint64_t at, const struct ledger *ledger)
{
	struct perfdata_header header = make_header(writer, at - writer->data_start);
	_cleanup_(strbuf) struct strbuf end = STRBUF_INIT;
	struct error *err = build_end(writer, at, ledger, &header, &end);
	int fd = writer->file.fd, ret;

	error_free(err);
	if (err)
		return -ENOMEM;
	if (ftruncate(fd, at) || lseek(fd, at, SEEK_SET) < 0)
		return -errno;
	ret = fd_write_all(fd, end.data, end.len);
	if (!ret && pwrite(fd, &header, sizeof(header), 0) != sizeof(header))
		ret = -errno;
	return ret;
}

/*
 * Make a whole file of what is stored.  Formats and names need room, so the last
 * records are given up for it.  Returns where the records end; 0: it cannot be done.
 */
static uint64_t salvage(struct writer *writer)
{
	uint64_t stored = output_stored(writer->output), room;
	struct ledger ledger = { 0 };
	uint64_t ret = 0;

	error_free(unknown_ledger(&ledger));
	/* The index describes records that are not in the file. */
	index_deinit(&writer->index);
	writer->index.failed = true;
	room = writer->tracing_data.len + END_ROOM;
	for (size_t i = writer->ends.nr; i-- && !ret; ) {
		uint64_t end = writer->ends.items[i];

		if (end > stored || (stored - end < room && stored < writer->bytes))
			continue;
		if (!end_at(writer, end, &ledger))
			ret = end;
		/* Another process that fills the disk may have taken the room. */
		room *= 2;
	}
	ledger_deinit(&ledger);
	return ret;
}

struct error *writer_give_up(struct writer *writer, struct error *err)
{
	char *temporary = writer->file.temporary;
	uint64_t stored, end;
	struct error *failed;

	if (!temporary || !writer->ends.nr) {
		writer_abort(writer);
		return err;
	}
	error_free(flush_piece(writer));
	output_flush(writer->output);
	stored = output_stored(writer->output);
	end = writer->keeps_all ? 0 : salvage(writer);
	failed = end ? take_name(writer) : NULL;
	if (end && !failed) {
		error_hint(err, "%s is whole up to there, with %.1f MB of records", writer->file.path,
			   (end - writer->data_start) / 1e6);
	} else if (stored > writer->data_start) {
		error_hint(err, "What was written is in %s: 'ktrace recover %s' makes it whole",
			   temporary, temporary);
		free(take_ptr(writer->file.temporary));
	}
	error_free(failed);
	writer_abort(writer);
	return err;
}

struct error *writer_finish(struct writer *writer, const struct ledger *ledger)
{
	struct error *err;

	err = flush_piece(writer);
	index_close_entry(&writer->index, writer->entry_start, writer->bytes);
	if (!err)
		err = writer->is_pipe ? finish_pipe(writer, ledger) : finish_file(writer, ledger);
	if (!err)
		err = take_name(writer);
	if (err)
		return writer_give_up(writer, err);
	writer_abort(writer);
	return NULL;
}
