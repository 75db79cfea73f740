/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared code of outputs that write while they read: text, or bytes, that is written out in large
 * pieces.  An output embeds the stream, appends to `text` and calls stream_write() after each
 * record.
 */
#ifndef KTRACE_OUTPUT_STREAM_H
#define KTRACE_OUTPUT_STREAM_H

#include <stdint.h>
#include <stdio.h>

#include "lib/error.h"
#include "lib/strbuf.h"

struct stream {
	FILE *out;		/* borrowed */
	const char *name;	/* for errors; borrowed */
	struct strbuf text;	/* not yet written */
	uint64_t written;	/* bytes */
};

/* Write the text if it is long. */
struct error *stream_write(struct stream *stream);

/* Write all of it. */
struct error *stream_flush(struct stream *stream);

#endif
