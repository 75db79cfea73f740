// SPDX-License-Identifier: GPL-2.0
#include "perfdata/write/recover.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/bytes.h"
#include "lib/file.h"
#include "lib/new_file.h"
#include "perfdata/own_sections.h"
#include "perfdata/reader_state.h"
#include "perfdata/swap.h"
#include "perfdata/tracing_data.h"
#include "perfdata/write/compressor.h"
#include "perfdata/write/description.h"
#include "terminal/progress.h"

#define COPY_BYTES	(1024 * 1024)

/* A COMPRESSED record may also hold the end of a record that began in the one before. */
#define ROOM_FOR_REST	(128 * 1024)

/* The results of reading all records. */
struct scan {
	uint64_t records;
	uint64_t first_time, last_time;	/* of samples; 0: none has one */
	uint64_t largest_room;		/* the largest output of one COMPRESSED record; 0: none */
};

/* The contents of the new file's features, one after the other. */
struct contents {
	struct strbuf bytes;
	struct {
		struct {
			unsigned int bit;
			size_t at, size;	/* in bytes */
		} items[FEATURES_MAX];
		size_t nr;
	} features;
};

/*
 * Read to the end or to the damage, whose offset is then in reader->record_at.  Returns whether
 * there was no damage.
 */
static bool scan_records(struct reader *reader, struct scan *ret)
{
	struct error *err = NULL;
	struct record record;
	uint64_t at = 0, room = 0;

	*ret = (struct scan){ 0 };
	while (record_source_next(&reader->source, &record, &err) == RECORD_OK) {
		bool is_sample = record.header->type == PERF_RECORD_SAMPLE;

		ret->records++;
		if (is_sample && record.time) {
			if (!ret->first_time || record.time < ret->first_time)
				ret->first_time = record.time;
			if (record.time > ret->last_time)
				ret->last_time = record.time;
		}
		if (!reader->decompressing)
			continue;
		room = record.offset == at ? room : 0;
		room += record.header->size;
		at = record.offset;
		if (room > ret->largest_room)
			ret->largest_room = room;
	}
	error_free(err);
	return !err;
}

static void begin_feature(struct contents *contents, unsigned int bit)
{
	size_t i = contents->features.nr++;

	contents->features.items[i].bit = bit;
	contents->features.items[i].at = contents->bytes.len;
}

static void end_feature(struct contents *contents)
{
	size_t i = contents->features.nr - 1;

	contents->features.items[i].size = contents->bytes.len - contents->features.items[i].at;
}

static struct error *copy_feature(struct contents *contents, const struct reader *from,
				  unsigned int bit)
{
	const struct perfdata_section *section = &from->sections[bit];
	struct strbuf *bytes = &contents->bytes;
	ssize_t n;

	begin_feature(contents, bit);
	if (section->offset > from->file_size || section->size > from->file_size - section->offset)
		return reader_damaged(from, "feature %u is outside the file", bit);
	if (!strbuf_reserve(bytes, section->size))
		return &error_no_memory;
	n = fd_pread_all(from->fd, bytes->data + bytes->len, section->size, section->offset);
	if (n < 0)
		return error_errno(-n, "Cannot read %s", from->name);
	bytes->len += n;
	end_feature(contents);
	return NULL;
}

static void add_times(struct contents *contents, const struct scan *scan, bool swapped)
{
	uint64_t times[2] = { scan->first_time, scan->last_time };

	if (!scan->last_time)
		return;
	if (swapped)
		swap_words(times, 2);
	begin_feature(contents, FEATURE_SAMPLE_TIME);
	strbuf_add(&contents->bytes, times, sizeof(times));
	end_feature(contents);
}

/* perf decompresses nothing unless a feature gives the method and the required room. */
static void add_compression(struct contents *contents, const struct scan *scan, bool swapped)
{
	uint32_t words[] = { 1, COMPRESSOR_ZSTD, 1, 1, scan->largest_room + ROOM_FOR_REST };

	if (!scan->largest_room)
		return;
	begin_feature(contents, FEATURE_COMPRESSED);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		bytes_add_u32(&contents->bytes, swapped ? __builtin_bswap32(words[i]) : words[i]);
	end_feature(contents);
}

static struct error *add_empty_formats(struct contents *contents, const struct reader *reader)
{
	size_t start = contents->bytes.len;
	struct error *err;

	begin_feature(contents, FEATURE_TRACING_DATA);
	err = tracing_data_build_empty(&reader->events, &contents->bytes);
	if (contents->bytes.len > start)
		end_feature(contents);
	else
		contents->features.nr--;
	return err;
}

static bool lends(const struct reader *like, unsigned int bit)
{
	if (!like || !like->sections[bit].offset)
		return false;
	for (const enum feature *lent = description_of_machine; *lent; lent++)
		if (*lent == bit)
			return true;
	return false;
}

static struct error *collect_feature(const struct reader *reader, const struct reader *like,
				     const struct scan *scan, unsigned int bit,
				     struct contents *contents)
{
	const struct reader *from = reader->sections[bit].offset ? reader :
				    lends(like, bit) ? like : NULL;
	struct error *err = NULL;

	if (from)
		err = copy_feature(contents, from, bit);
	else if (bit == FEATURE_TRACING_DATA)
		err = add_empty_formats(contents, reader);
	else if (bit == FEATURE_SAMPLE_TIME)
		add_times(contents, scan, reader->swapped);
	else if (bit == FEATURE_COMPRESSED)
		add_compression(contents, scan, reader->swapped);
	bytes_add_zeros(&contents->bytes, -contents->bytes.len & 7);
	return err;
}

/*
 * Our own features come first, then perf's, in ascending order of their bits, as their
 * sections must be.
 */
static struct error *collect_features(const struct reader *reader, const struct reader *like,
				      const struct scan *scan, struct contents *contents)
{
	struct error *err = NULL;

	for (int own = 1; own >= 0; own--)
		for (unsigned int bit = 0; bit < FEATURES_MAX && !err; bit++)
			if (own_section_is(bit) == own)
				err = collect_feature(reader, like, scan, bit, contents);
	return !err && contents->bytes.failed ? &error_no_memory : err;
}

static struct error *write_bytes(const struct new_file *to, const void *data, size_t size)
{
	int ret = fd_write_all(to->fd, data, size);

	return ret < 0 ? error_errno(-ret, "Cannot write to %s", to->path) : NULL;
}

static struct error *copy_bytes(const struct reader *from, uint64_t start, uint64_t end,
				const struct new_file *to)
{
	_cleanup_free_ char *buffer = malloc(COPY_BYTES);

	if (!buffer)
		return &error_no_memory;
	while (start < end) {
		size_t size = end - start < COPY_BYTES ? end - start : COPY_BYTES;
		ssize_t n = fd_pread_all(from->fd, buffer, size, start);
		struct error *err;

		if (n < 0)
			return error_errno(-n, "Cannot read %s", from->name);
		if ((size_t)n < size)
			return error_new(EIO, "%s became shorter while it was read", from->name);
		err = write_bytes(to, buffer, size);
		if (err)
			return err;
		progress_advance(size);
		start += size;
	}
	return NULL;
}

/*
 * Write the start of the old file, with a header that has the new size of the data and the new
 * features.
 */
static struct error *write_start(const struct reader *reader, uint64_t data_end,
				 const struct contents *contents, const struct new_file *to)
{
	struct perfdata_header header = reader->file_header;
	uint64_t size = header.size;
	struct error *err;

	header.data.size = data_end - header.data.offset;
	memset(header.features, 0, sizeof(header.features));
	for (size_t i = 0; i < contents->features.nr; i++) {
		unsigned int bit = contents->features.items[i].bit;

		if (!own_section_is(bit))
			header.features[bit / 64] |= 1ULL << bit % 64;
	}
	if (reader->swapped)
		swap_words(&header.size, sizeof(header) / 8 - 1);
	err = write_bytes(to, &header, size);
	return err ? err : copy_bytes(reader, size, reader->file_header.data.offset, to);
}

static struct error *write_features(const struct reader *reader, uint64_t at,
				    const struct contents *contents, const struct new_file *to)
{
	struct perfdata_section sections[FEATURES_MAX] = { 0 };
	_cleanup_(strbuf) struct strbuf bytes = STRBUF_INIT;
	bool has_own = false;

	for (size_t i = 0; i < contents->features.nr; i++)
		if (own_section_is(contents->features.items[i].bit))
			has_own = true;
		else
			at += sizeof(struct perfdata_section);
	at += has_own ? sizeof(struct perfdata_own_sections) : 0;
	for (size_t i = 0; i < contents->features.nr; i++) {
		unsigned int bit = contents->features.items[i].bit;
		struct perfdata_section section = {
			at + contents->features.items[i].at, contents->features.items[i].size,
		};

		sections[bit] = section;
		if (reader->swapped)
			swap_words(&section, 2);
		if (!own_section_is(bit))
			strbuf_add(&bytes, &section, sizeof(section));
	}
	if (has_own)
		own_sections_build(sections, reader->swapped, &bytes);
	strbuf_add(&bytes, strbuf_str(&contents->bytes), contents->bytes.len);
	return bytes.failed ? &error_no_memory : write_bytes(to, strbuf_str(&bytes), bytes.len);
}

static struct error *write_recovered(const struct reader *reader, uint64_t end,
				     struct contents *contents, const struct new_file *to)
{
	const struct perfdata_header *header = &reader->file_header;
	struct error *err;

	if (header->attrs.offset + header->attrs.size > header->data.offset)
		return error_new(ENOTSUP, "%s keeps its events behind its records; such files "
				 "cannot be recovered", reader->name);
	/* The header has no room for feature bits, or the width of its words is not known. */
	if (header->size < sizeof(*header) ||
	    (reader->swapped && !reader->sections[FEATURE_HOSTNAME].offset))
		contents->features.nr = contents->bytes.len = 0;
	err = write_start(reader, end, contents, to);
	if (!err)
		err = copy_bytes(reader, header->data.offset, end, to);
	if (!err)
		err = write_features(reader, end, contents, to);
	return err;
}

static bool needs_formats(const struct reader *reader)
{
	return array_any(&reader->events, it, (*it)->attr.type == PERF_TYPE_TRACEPOINT);
}

struct error *recover_to(struct reader *reader, const struct reader *like, const char *path,
			 struct recovery *ret)
{
	_cleanup_(new_file) struct new_file file = NEW_FILE_INIT;
	struct contents contents = { .bytes = STRBUF_INIT };
	struct error *err;
	struct scan found;
	bool whole;

	if (!reader->file_size)
		return error_hint(error_new(ESPIPE, "%s cannot be read twice", reader->name),
				  "Store the data of the pipe in a file first");
	if (reader->input.parts.nr)
		return error_hint(error_new(ENOTSUP, "%s is a folder of several files",
					    reader->name),
				  "Its complete files can be read without 'ktrace recover'");
	if (like && like->swapped != reader->swapped)
		return error_new(EINVAL, "%s and %s differ in their byte order", like->name,
				 reader->name);
	whole = scan_records(reader, &found) && !reader->header.is_truncated;
	*ret = (struct recovery){
		.records = found.records,
		.end = reader->record_at,
		.dropped = (reader->header.is_pipe ? reader->file_size :
			    reader->header.data_offset + reader->header.data_size) -
			reader->record_at,
		.was_whole = whole,
		.has_formats = !needs_formats(reader) || reader->header.is_pipe ||
			reader->sections[FEATURE_TRACING_DATA].offset ||
			lends(like, FEATURE_TRACING_DATA),
	};
	if (!found.records)
		return error_new(EBADMSG, "No record of %s can be read", reader->name);
	err = new_file_create_recording(&file, path, true);
	if (err)
		return err;
	if (reader->header.is_pipe) {
		err = copy_bytes(reader, 0, ret->end, &file);
	} else {
		err = collect_features(reader, like, &found, &contents);
		if (!err)
			err = write_recovered(reader, ret->end, &contents, &file);
	}
	strbuf_deinit(&contents.bytes);
	return err ? err : new_file_commit(&file);
}
