// SPDX-License-Identifier: GPL-2.0
#include "output/stream.h"

#include <errno.h>

#define STREAM_PIECE	(256 * 1024)

struct error *stream_write(struct stream *stream)
{
	if (stream->text.failed)
		return &error_no_memory;
	return stream->text.len < STREAM_PIECE ? NULL : stream_flush(stream);
}

struct error *stream_flush(struct stream *stream)
{
	struct strbuf *text = &stream->text;

	if (text->failed)
		return &error_no_memory;
	if (fwrite(strbuf_str(text), 1, text->len, stream->out) != text->len)
		return error_errno(errno, "Cannot write %s", stream->name);
	stream->written += text->len;
	strbuf_reset(text);
	return NULL;
}
