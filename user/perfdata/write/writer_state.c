// SPDX-License-Identifier: GPL-2.0
#include "perfdata/write/writer_state.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/array.h"
#include "perfdata/features.h"

bool writer_is_foreign(const struct writer *writer)
{
	return writer->description && writer->description->foreign;
}

struct error *writer_error(const struct writer *writer, int code)
{
	const char *name = writer->file.path ? writer->file.path : writer->peer ? writer->peer :
			   "the output";
	struct error *err;

	if (writer->peer && (code == EPIPE || code == ECONNRESET))
		return error_new(code, "The reader at %s has gone, so the recording ended: at least "
				 "%llu samples had been sent to it", name,
				 (unsigned long long)writer->progress.sent);
	if (code == EINTR)
		return error_new(code, "The end of the recording is missing: nobody reads from %s "
				 "any more", name);
	err = error_errno(code, "Cannot write to %s", name);
	if (code == ENOSPC)
		error_hint(err, "Free disk space, or write elsewhere with -o FILE");
	return err;
}

/* Note how many samples of a connection's stream are certainly sent. */
static void watch_progress(struct writer *writer)
{
	if (!writer->peer || output_stored(writer->output) < writer->progress.bytes)
		return;
	writer->progress.sent = writer->progress.samples;
	writer->progress.bytes = writer->bytes;
	writer->progress.samples = writer->samples;
}

struct error *writer_flush(struct writer *writer)
{
	int ret = output_flush(writer->output);

	watch_progress(writer);
	return ret < 0 ? writer_error(writer, -ret) : NULL;
}

struct error *writer_put(struct writer *writer, const void *data, size_t size)
{
	int ret = output_put(writer->output, data, size);

	writer->bytes += size;
	watch_progress(writer);
	return ret < 0 ? writer_error(writer, -ret) : NULL;
}

struct error *writer_put_text(struct writer *writer, const struct strbuf *text)
{
	return text->failed ? &error_no_memory : writer_put(writer, text->data, text->len);
}

struct perf_event_attr writer_stored_attr(const struct writer *writer, const struct event *event)
{
	struct perf_event_attr attr = event->attr;

	attr.size = feature_attr_size(writer->events);
	return attr;
}

void writer_abort(struct writer *writer)
{
	if (!writer)
		return;
	output_destroy(writer->output);
	new_file_deinit(&writer->file);
	strbuf_deinit(&writer->tracing_data);
	strbuf_deinit(&writer->piece);
	strbuf_deinit(&writer->notes);
	compressor_destroy(writer->compressor);
	free(writer->clocks.items);
	free(writer->by_cpu.items);
	error_free(writer->failed);
	free(writer->ends.items);
	binaries_deinit(&writer->binaries);
	index_deinit(&writer->index);
	free(writer);
}

struct error *writer_add_note(struct writer *writer, const char *name, const char *text)
{
	extension_add_note(name, text, &writer->notes);
	return writer->notes.failed ? &error_no_memory : NULL;
}

struct error *writer_add_clock(struct writer *writer, const struct clock_pair *pair)
{
	return array_push(&writer->clocks, *pair) ? NULL : &error_no_memory;
}
