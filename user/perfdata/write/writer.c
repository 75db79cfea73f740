// SPDX-License-Identifier: GPL-2.0
#include "perfdata/write/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "lib/socket_address.h"
#include "perfdata/connection.h"
#include "perfdata/tracing_data.h"
#include "perfdata/write/writer_state.h"

/* The interval of checks for a FIFO's reader, ms. */
#define READER_POLL_MS	50

/*
 * Reopen standard output, to get a file description that never blocks: others share the original
 * one and do not expect that of it.  A socket cannot be reopened, and sending to it does not block
 * anyway.
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
	return new_file_create_recording(&writer->file, path, false);
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
		err = writer->is_pipe ? writer_start_pipe(writer) : writer_start_file(writer);
	if (!err && writer->is_pipe)
		err = writer_flush(writer);
	/* A pipe cannot have an index. */
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
		err = writer->is_pipe ? writer_start_pipe(writer) : writer_start_file(writer);
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

struct error *writer_give_up(struct writer *writer, struct error *err)
{
	char *temporary = writer->file.temporary;
	uint64_t stored, end;
	struct error *failed;

	if (!temporary || !writer->ends.nr) {
		writer_abort(writer);
		return err;
	}
	error_free(writer_flush_piece(writer));
	output_flush(writer->output);
	stored = output_stored(writer->output);
	end = writer->keeps_all ? 0 : writer_salvage(writer);
	failed = end ? new_file_commit(&writer->file) : NULL;
	if (end && !failed) {
		error_hint(err, "%s is complete up to that point, with %.1f MB of records",
			   writer->file.path, (end - writer->data_start) / 1e6);
	} else if (stored > writer->data_start) {
		error_hint(err, "The written records are in %s: 'ktrace recover %s' repairs it",
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

	err = writer_flush_piece(writer);
	index_close_entry(&writer->index, writer->entry_start, writer->bytes);
	if (!err)
		err = writer->is_pipe ? writer_finish_pipe(writer, ledger) :
					writer_finish_file(writer, ledger);
	if (!err)
		err = new_file_commit(&writer->file);
	if (err)
		return writer_give_up(writer, err);
	writer_abort(writer);
	return NULL;
}
