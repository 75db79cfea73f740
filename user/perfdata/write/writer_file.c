// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <unistd.h>

#include "lib/bytes.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "perfdata/features.h"
#include "perfdata/own_sections.h"
#include "perfdata/write/writer_state.h"

/*
 * Room that a file system may need beside the bytes themselves when the end of a file
 * is written.
 */
#define END_ROOM	(64 * 1024)

/* Create the header; a data_size of 0 marks the recording as incomplete. */
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

struct error *writer_start_file(struct writer *writer)
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
		struct perf_event_attr attr = writer_stored_attr(writer, events->items[i]);
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
		if (writer_is_foreign(writer))
			return NULL;
		extension_add_events(writer->events, ret);
		extension_add_clocks(&writer->clocks, ret);
		if (ledger)
			extension_add_ledger(ledger->items, ledger->nr, writer->events->nr, ret);
		strbuf_add(ret, strbuf_str(&writer->notes), writer->notes.len);
		for (size_t i = 0; described && i < described->notes.nr; i++)
			extension_add_note(described->notes.items[i].name,
					   described->notes.items[i].text, ret);
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
 * Append the content of one feature at a multiple of 8; *ret's size is 0 if it is empty.  The last
 * feature has no padding behind it, so that a file that lacks a byte is recognized as cut.
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
	/* A file that is written in place (such as /dev/null) cannot always be written twice. */
	if (pwrite(writer->file.fd, header, sizeof(*header), 0) != sizeof(*header) &&
	    writer->file.path)
		return writer_error(writer, errno);
	return NULL;
}

struct error *writer_finish_file(struct writer *writer, const struct ledger *ledger)
{
	struct perfdata_header header = make_header(writer, writer->bytes - writer->data_start);
	_cleanup_(strbuf) struct strbuf end = STRBUF_INIT;
	struct error *err;

	err = build_end(writer, writer->bytes, ledger, &header, &end);
	if (!err)
		err = writer_put_text(writer, &end);
	if (!err)
		err = writer_flush(writer);
	return err ? err : put_header(writer, &header);
}

/* Create a ledger with an unknown number of missing records, for the part behind the cut. */
static struct error *unknown_ledger(struct ledger *ret)
{
	return ledger_add(ret, &(struct ledger_row){
		.event = UINT32_MAX, .cpu = UINT32_MAX, .proof = LEDGER_UNKNOWN,
		.filtered = LEDGER_NOT_KNOWN,
		.lost[LEDGER_LOST_OTHER] = LEDGER_NOT_KNOWN,
	});
}

/* End the file at @at.  The end of the file takes the room of the records that are cut off. */
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

uint64_t writer_salvage(struct writer *writer)
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
