// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/bytes.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "perfdata/features.h"
#include "perfdata/own_sections.h"
#include "perfdata/tracing_data.h"
#include "perfdata/write/writer_state.h"

/* The largest record: header.size has 16 bits, and records are 8-aligned. */
#define RECORD_MAX	65528

static struct error *put_record_with(struct writer *writer, uint32_t type, uint16_t misc,
				     const void *body, size_t size)
{
	struct perf_event_header header = { .type = type, .misc = misc };
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

static struct error *put_record(struct writer *writer, uint32_t type,
				const void *body, size_t size)
{
	return put_record_with(writer, type, 0, body, size);
}

static struct error *put_attr(struct writer *writer, const struct event *event)
{
	_cleanup_(strbuf) struct strbuf body = STRBUF_INIT;
	struct perf_event_attr attr = writer_stored_attr(writer, event);

	strbuf_add(&body, &attr, attr.size);
	strbuf_add(&body, event->ids, event->nr_ids * sizeof(uint64_t));
	if (body.failed)
		return &error_no_memory;
	if (body.len > RECORD_MAX - sizeof(struct perf_event_header))
		return error_hint(error_new(E2BIG, "%s is recorded on too many CPUs for a pipe",
					    event->name), "Record into a file");
	return put_record(writer, RECORD_HEADER_ATTR, body.data, body.len);
}

/* Write the event's name, followed by a piece of the extension. */
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

/* Whether a pipe has it as a FEATURE record; features about the bytes of a file are left out. */
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

/* Write the build ids that are known before the first record: the kernel's and its vDSO's. */
static struct error *put_known_build_ids(struct writer *writer)
{
	struct feature_source source = { .events = writer->events, .info = &writer->info };
	_cleanup_(strbuf) struct strbuf table = STRBUF_INIT;
	struct error *err = feature_build(FEATURE_BUILD_ID, &source, &table);

	for (size_t at = 0; !err && at < table.len; ) {
		struct perf_event_header header;

		memcpy(&header, table.data + at, sizeof(header));
		err = put_record_with(writer, RECORD_BUILD_ID, header.misc,
				      table.data + at + sizeof(header),
				      header.size - sizeof(header));
		at += header.size;
	}
	return err;
}

/* Write the features of another recording's header, in the order of the bits. */
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
	return put_known_build_ids(writer);
}

/* Another recording's embedded data about binaries precedes the maps of these. */
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

struct error *writer_start_pipe(struct writer *writer)
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

		if (!writer_is_foreign(writer))
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
	return err ? err : writer_put_text(writer, &writer->tracing_data);
}

struct error *writer_finish_pipe(struct writer *writer, const struct ledger *ledger)
{
	const size_t rows = (RECORD_MAX - 4096) / sizeof(struct perfdata_ledger_row);
	struct error *err = NULL;

	if (!writer->events->nr)
		return NULL;
	for (size_t i = 0; ledger && i < ledger->nr && !err; i += rows) {
		_cleanup_(strbuf) struct strbuf extension = STRBUF_INIT;
		size_t nr = ledger->nr - i < rows ? ledger->nr - i : rows;

		extension_add_ledger(ledger->items + i, nr, writer->events->nr, &extension);
		err = put_name(writer, writer->events->items[0], &extension);
	}
	if (!err && writer->clocks.nr) {
		_cleanup_(strbuf) struct strbuf extension = STRBUF_INIT;

		extension_add_clocks(&writer->clocks, &extension);
		err = put_name(writer, writer->events->items[0], &extension);
	}
	if (!err && writer->notes.len)
		err = put_name(writer, writer->events->items[0], &writer->notes);
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
		err = writer_start_pipe(writer);
	if (!err)
		err = writer_finish_pipe(writer, NULL);
	if (!err)
		err = read_back(writer->file.fd, ret);
	writer_abort(writer);
	return err;
}
