// SPDX-License-Identifier: GPL-2.0
#include "perfdata/write/indexer.h"

#include <errno.h>
#include <sys/stat.h>

#include "lib/file.h"
#include "lib/new_file.h"
#include "perfdata/reader_state.h"
#include "perfdata/write/index.h"
#include "record/sample.h"

static uint32_t cpu_of(const struct record *record)
{
	struct sample sample;

	return record->event && sample_decode(record->event, record->header, &sample) &&
		sample.cpu >= 0 ? (uint32_t)sample.cpu : UINT32_MAX;
}

/* Scan all records.  A single compressed stream is refused: it cannot be read from its middle. */
static struct error *index_records(struct reader *reader, struct index *index)
{
	struct record record;
	struct error *err = NULL;
	uint64_t start = 0, end;

	while (record_source_next(&reader->source, &record, &err) == RECORD_OK) {
		if (reader->decompressor)
			return error_hint(error_new(ENOTSUP, "%s is compressed as one stream: it can "
						    "only be read from its start", reader->name),
					  "Record with ktrace record -z: its files have an index");
		if (!index->open.samples)
			start = record.offset;
		end = record.offset + record.header->size;
		if (record.header->type == PERF_RECORD_SAMPLE)
			index_add_samples(index, 1, record.time, record.time, cpu_of(&record),
					  record.event ? record.event->index : UINT32_MAX);
		else
			index_add_state(index, record.offset, record.time, record.header);
		if (end - start >= INDEX_ENTRY_BYTES)
			index_close_entry(index, start, end);
	}
	index_close_entry(index, start, reader->record_at);
	return err;
}

static struct error *write_index(struct reader *reader, const struct index *index,
				 const char *path)
{
	_cleanup_(new_file) struct new_file file = NEW_FILE_INIT;
	_cleanup_(strbuf) struct strbuf bytes = STRBUF_INIT;
	struct perfdata_index_file start;
	struct error *err;
	struct stat st;
	int ret;

	if (fstat(reader->fd, &st))
		return error_errno(errno, "Cannot read %s", reader->name);
	err = index_identify(reader->fd, &st, &start);
	if (err)
		return err;
	strbuf_add(&bytes, &start, sizeof(start));
	index_build(index, &bytes);
	if (bytes.failed)
		return &error_no_memory;
	err = new_file_create_unnamed(&file, path);
	if (err)
		return err;
	ret = fd_write_all(file.fd, bytes.data, bytes.len);
	if (ret < 0)
		return error_errno(-ret, "Cannot write to %s", path);
	return new_file_commit(&file);
}

struct error *indexer_write(struct reader *reader, const char *path, struct indexed *ret)
{
	_cleanup_(index) struct index index = { 0 };
	struct error *err;

	*ret = (struct indexed){ .has_own = reader->sections[FEATURE_KTRACE_INDEX].offset };
	if (ret->has_own)
		return NULL;
	if (reader->input.parts.nr)
		return error_new(ENOTSUP, "A folder of several files has no index");
	if (!reader_can_index(reader))
		return error_new(ENOTSUP, "%s", reader->header.is_pipe || !reader->file_size ?
				 "A pipe has no index: it can only be read from its start" :
				 "A recording without times cannot have an index");
	err = index_records(reader, &index);
	if (err)
		return err;
	if (index.failed || !index.entries.nr)
		return error_new(ENOTSUP, "There are no records to index in %s", reader->name);
	for (size_t i = 0; i < index.entries.nr; i++)
		ret->samples += index.entries.items[i].samples;
	ret->entries = index.entries.nr;
	return write_index(reader, &index, path);
}
