// SPDX-License-Identifier: GPL-2.0
#include "perfdata/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"
#include "lib/log.h"
#include "perfdata/layout.h"
#include "perfdata/listener.h"
#include "perfdata/reader_state.h"

/* In smaller files, reading the whole is faster than reading the notice about a missing index. */
#define ADVISE_BYTES	(100 * 1000 * 1000)

char *reader_index_path(const char *path)
{
	char *ret;

	return asprintf(&ret, "%s.index", path) < 0 ? NULL : ret;
}

static bool parse_index(struct reader *reader, char **data, size_t at, size_t size)
{
	uint64_t start = reader->header.data_offset;

	return index_parse(&reader->index, data, at, size, start,
			   start + reader->header.data_size);
}

/* Load the index inside the recording; a damaged one is ignored. */
static bool load_own_index(struct reader *reader)
{
	_cleanup_free_ char *data = NULL;
	const struct perfdata_section *section = &reader->sections[FEATURE_KTRACE_INDEX];
	struct error *err;

	if (!section->offset)
		return false;
	err = reader_read_section(reader, *section, &data);
	error_free(err);
	return !err && parse_index(reader, &data, 0, section->size);
}

/* Load the index that ktrace index put beside the recording. */
static struct error *load_index_beside(struct reader *reader, bool *ret)
{
	_cleanup_free_ char *path = reader_index_path(reader->name), *data = NULL;
	struct perfdata_index_file was, is;
	struct error *err;
	struct stat st;
	size_t size;

	*ret = false;
	if (!path)
		return &error_no_memory;
	if (reader->is_stdin || access(path, R_OK))
		return NULL;
	err = file_read_regular(path, &data, &size);
	if (!err && fstat(reader->fd, &st))
		err = error_errno(errno, "Cannot read %s", reader->name);
	if (!err)
		err = index_identify(reader->fd, &st, &is);
	if (err)
		return err;
	memcpy(&was, data, size < sizeof(was) ? size : sizeof(was));
	if (size < sizeof(was) || memcmp(&was, &is, sizeof(is)) ||
	    !parse_index(reader, &data, sizeof(was), size)) {
		log_warning("%s is not the index of this %s, and is not used. 'ktrace index %s' "
			    "makes a new one.", path, reader->name, reader->name);
		return NULL;
	}
	*ret = true;
	return NULL;
}

/*
 * Counter values that were read with samples are only meaningful as differences to
 * those of earlier samples.
 */
static bool needs_all_samples(const struct reader *reader)
{
	return array_any(&reader->events, it, (*it)->attr.sample_type & PERF_SAMPLE_READ);
}

/* A user who waits for a part of a large file should know how to speed it up. */
static void advise_index(const struct reader *reader, const struct record_scope *scope)
{
	if (!scope || reader->file_size < ADVISE_BYTES || reader->is_stdin ||
	    reader->sections[FEATURE_COMPRESSED].offset ||
	    (!scope->nr_times && !scope->cpus && scope->events == UINT64_MAX))
		return;
	log_notice("%s has no index, so it is read completely to find the selected part. "
		   "'ktrace index %s' makes one.", reader->name, reader->name);
}

/* Load the index if it is not loaded. */
static struct error *load_index(struct reader *reader, bool *ret)
{
	*ret = reader->index.entries.nr;
	if (*ret)
		return NULL;
	*ret = load_own_index(reader);
	return *ret ? NULL : load_index_beside(reader, ret);
}

static bool reader_may_have_index(const struct reader *reader)
{
	return reader_can_index(reader) && !reader->header.is_truncated && !reader->input.parts.nr;
}

bool reader_index_span(struct reader *reader, uint64_t *ret_first, uint64_t *ret_last)
{
	struct error *err = NULL;
	bool found = false;

	if (!reader->several && reader_may_have_index(reader) && !needs_all_samples(reader))
		err = load_index(reader, &found);
	error_free(err);
	*ret_first = UINT64_MAX;
	*ret_last = 0;
	for (size_t i = 0; found && i < reader->index.entries.nr; i++) {
		const struct perfdata_index_entry *entry = &reader->index.entries.items[i];

		if (entry->first_time < *ret_first)
			*ret_first = entry->first_time;
		if (entry->last_time > *ret_last)
			*ret_last = entry->last_time;
	}
	return found;
}

struct error *reader_narrow(struct reader *reader, const struct record_scope *scope)
{
	struct error *err;
	bool found;

	if (reader->several)
		return reader->several->narrow(reader->joined, scope);
	if (!reader_may_have_index(reader))
		return NULL;
	err = load_index(reader, &found);
	if (err)
		return err;
	if (!found) {
		advise_index(reader, scope);
		return NULL;
	}
	return reader_follow_index(reader, needs_all_samples(reader) ? NULL : scope, 0);
}

void reader_watch(struct reader *reader, bool (*turn)(void *data), void *data)
{
	if (reader->several)
		reader->several->watch(reader->joined, turn, data);
	reader->turn = turn;
	reader->turn_data = data;
}

uint64_t reader_bytes_left(const struct reader *reader)
{
	uint64_t bytes = 0;

	if (reader->several)
		return reader->several->bytes_left(reader->joined);
	if (!reader->planned)
		return input_bytes_left(&reader->input, reader->file_size);
	for (size_t i = reader->plan_at; i < reader->plan.nr; i++)
		bytes += reader->plan.items[i].size;
	return bytes;
}

struct error *reader_open(const char *path, struct reader **ret)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	struct error *err;

	if (!reader)
		return &error_no_memory;
	reader->source.ops = &stream_ops;
	reader->fd = -1;
	reader->header.clockid = -1;
	event_list_init(&reader->events);
	reader->is_stdin = !strcmp(path, "-");
	reader->name = strdup(reader->is_stdin ? listener_input_name() : path);
	err = reader->name ? formats_create(&reader->formats) : &error_no_memory;
	if (!err)
		err = reader_open_input(reader, path);
	if (err) {
		reader_close(reader);
		return err;
	}
	*ret = reader;
	return NULL;
}

struct joined *reader_joined(const struct reader *reader)
{
	return reader->joined;
}

void reader_close(struct reader *reader)
{
	if (!reader)
		return;
	if (reader->several)
		reader->several->destroy(reader->joined);
	if (reader->fd >= 0)
		close(reader->fd);
	input_deinit(&reader->input);
	event_list_deinit(&reader->events);
	formats_destroy(reader->formats);
	header_deinit(&reader->header);
	ledger_deinit(&reader->ledger);
	free(reader->clocks.items);
	decompressor_destroy(reader->decompressor);
	held_deinit(&reader->held);
	free(reader->aligned);
	free(reader->taken);
	index_deinit(&reader->index);
	free(reader->times.items);
	free(reader->plan.items);
	error_free(reader->failure);
	free(reader->name);
	free(reader);
}

struct event_list *reader_events(struct reader *reader)
{
	return &reader->events;
}

struct formats *reader_formats(struct reader *reader)
{
	return reader->first ? reader->first->formats : reader->formats;
}

struct record_source *reader_source(struct reader *reader)
{
	return &reader->source;
}

const struct header *reader_header(const struct reader *reader)
{
	return reader->first ? &reader->first->header : &reader->header;
}

const struct ledger *reader_ledger(const struct reader *reader)
{
	return reader->ledger.nr ? &reader->ledger : NULL;
}

const struct ledger *reader_ledger_read(const struct reader *reader)
{
	return &reader->ledger;
}
