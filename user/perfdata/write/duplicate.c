// SPDX-License-Identifier: GPL-2.0
#include "perfdata/write/duplicate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"
#include "perfdata/connection.h"
#include "perfdata/listener.h"
#include "perfdata/reader_state.h"
#include "record/body.h"

#define SPOOL_BYTES	(256 * 1024)

/* Copy the data of @fd to a temporary file without a name. */
static struct error *spool(int fd, const char *name, int *ret)
{
	_cleanup_free_ char *buffer = malloc(SPOOL_BYTES);
	FILE *file = buffer ? tmpfile() : NULL;
	ssize_t n = 0;
	int code = 0;

	if (!buffer)
		return &error_no_memory;
	if (!file)
		return error_errno(errno, "No temporary file can be created for %s", name);
	*ret = fcntl(fileno(file), F_DUPFD_CLOEXEC, 3);
	fclose(file);
	if (*ret < 0)
		return error_errno(errno, "No temporary file can be created for %s", name);
	while (!code && (n = fd_read_all(fd, buffer, SPOOL_BYTES)) > 0)
		code = fd_write_all(*ret, buffer, n);
	if (n < 0)
		return error_errno(-n, "Cannot read %s", name);
	return code < 0 ? error_errno(-code, "The temporary file for %s cannot be written", name) :
			  NULL;
}

static struct error *duplicate_spool(const char *path, struct duplicate *ret)
{
	bool is_stdin = !strcmp(path, "-");
	_cleanup_close_ int fd = is_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	struct error *err = is_stdin ? listener_open_input(&fd) : NULL;

	if (!err && fd < 0)
		return error_errno(errno, "Cannot open %s", path);
	if (!err)
		err = spool(fd, is_stdin ? listener_input_name() : path, &ret->fd);
	if (err)
		return err;
	if (asprintf(&ret->path, "/proc/self/fd/%d", ret->fd) < 0) {
		ret->path = NULL;
		return &error_no_memory;
	}
	return NULL;
}

static bool is_pipe(const char *path)
{
	struct stat st;

	return !strcmp(path, "-") || (!stat(path, &st) && S_ISFIFO(st.st_mode));
}

struct error *duplicate_open(const char *path, struct duplicate *ret)
{
	struct reader *reader = NULL;
	struct error *err = NULL;

	if (is_pipe(path)) {
		err = duplicate_spool(path, ret);
	} else {
		ret->path = strdup(path);
		err = ret->path ? NULL : &error_no_memory;
	}
	if (!err)
		err = reader_open(ret->path, &reader);
	if (!err && reader->header.is_pipe && ret->fd < 0) {
		/* Others could change the file while it is mapped, so it is copied. */
		reader_close(reader);
		free(ret->path);
		ret->path = NULL;
		err = duplicate_spool(path, ret);
		if (!err)
			err = reader_open(ret->path, &reader);
	}
	return err ? err : description_of(reader, &ret->description);
}

/* In a pipe, the entries are records of their own. */
static struct error *put_build_ids(struct writer *writer, struct strbuf *table)
{
	struct error *err = NULL;
	size_t at = 0;

	while (!err && table->len - at >= sizeof(struct perf_event_header)) {
		char *entry = table->data + at;
		struct perf_event_header header;

		/* As in files of perf, sizes are no multiples of 8, and they may be damaged. */
		memcpy(&header, entry, sizeof(header));
		if (header.size < sizeof(header) || header.size > table->len - at)
			break;
		header.type = RECORD_BUILD_ID;
		memcpy(entry, &header, sizeof(header));
		err = record_sink_write(writer_sink(writer),
					&(struct record_span){ entry, header.size, UINT32_MAX });
		at += header.size;
	}
	return err;
}

struct error *duplicate_begin(struct duplicate *duplicate, const char *path,
			      const struct strbuf *build_ids)
{
	struct strbuf *table = &duplicate->description.features[FEATURE_BUILD_ID];
	static const enum feature gone[] = { FEATURE_AUXTRACE, FEATURE_DIR_FORMAT };
	struct error *err;

	if (build_ids && build_ids->len)
		strbuf_add(table, build_ids->data, build_ids->len);
	if (table->failed)
		return &error_no_memory;
	for (size_t i = 0; i < ARRAY_SIZE(gone); i++)
		strbuf_reset(&duplicate->description.features[gone[i]]);
	reader_give_all(duplicate->description.reader);
	err = writer_create_described(path, &duplicate->description, &duplicate->writer);
	if (!err && (is_pipe(path) || connection_is_stream(path)))
		err = put_build_ids(duplicate->writer, table);
	return err;
}

bool duplicate_takes(const struct perf_event_header *header)
{
	const struct body_event_update *update = body_of(header, struct body_event_update);

	switch (header->type) {
	case RECORD_HEADER_ATTR:
	case RECORD_HEADER_FEATURE:
	case RECORD_TRACING_DATA:
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		return false;
	case RECORD_EVENT_UPDATE:
		return update && update->type != BODY_UPDATE_NAME;
	default:
		return true;
	}
}

struct error *duplicate_finish(struct duplicate *duplicate)
{
	const struct reader *reader = duplicate->description.reader;
	struct error *err = NULL;

	if (reader->header.is_truncated)
		return error_hint(error_new(EBADMSG, "%s breaks off, so nothing was written",
					    reader->name),
				  "Repair it first with 'ktrace recover FILE'");
	for (size_t i = 0; i < reader->clocks.nr && !err; i++)
		err = writer_add_clock(duplicate->writer, &reader->clocks.items[i]);
	if (!err)
		err = writer_finish(duplicate->writer, reader->ledger.nr ? &reader->ledger : NULL);
	else
		writer_abort(duplicate->writer);
	duplicate->writer = NULL;
	return err;
}

void duplicate_deinit(struct duplicate *duplicate)
{
	writer_abort(duplicate->writer);
	description_deinit(&duplicate->description);
	free(duplicate->path);
	if (duplicate->fd >= 0)
		close(duplicate->fd);
}
