// SPDX-License-Identifier: GPL-2.0
#include "perfdata/decompressor.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/library.h"
#include "perfdata/write/compressor.h"
#include "with/zstd.h"

/* Room for the largest record, and for a good amount of output behind it. */
#define OUTPUT_BYTES	(256 * 1024)

struct decompressor {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	size_t at, len;		/* records not yet given, in output */
	bool swapped;		/* records are in the other byte order */
	bool flushed;		/* the stream has no more output for `in` */
	char *whole;		/* COMPRESSOR_ROOM bytes for decompressor_expand(), or NULL */
	size_t whole_len;
	char output[OUTPUT_BYTES] __attribute__((aligned(8)));
};

struct error *decompressor_create(bool swapped, struct decompressor **ret)
{
	struct decompressor *d;
	struct error *err = library_missing(LIBRARY_ZSTD);

	if (err)
		return error_prefix(err, "Its records are compressed");
	d = malloc(sizeof(*d));
	if (!d)
		return &error_no_memory;
	d->stream = ZSTD_createDStream();
	if (!d->stream) {
		free(d);
		return &error_no_memory;
	}
	d->in = (ZSTD_inBuffer){ 0 };
	d->at = d->len = d->whole_len = 0;
	d->whole = NULL;
	d->flushed = true;
	d->swapped = swapped;
	*ret = d;
	return NULL;
}

void decompressor_destroy(struct decompressor *decompressor)
{
	if (!decompressor)
		return;
	ZSTD_freeDStream(decompressor->stream);
	free(decompressor->whole);
	free(decompressor);
}

void decompressor_reset(struct decompressor *d)
{
	ZSTD_DCtx_reset(d->stream, ZSTD_reset_session_only);
	d->in = (ZSTD_inBuffer){ 0 };
	d->at = d->len = d->whole_len = 0;
	d->flushed = true;
}

void decompressor_feed(struct decompressor *decompressor, const void *data, size_t size)
{
	decompressor->in = (ZSTD_inBuffer){ .src = data, .size = size };
	decompressor->flushed = false;
}

static struct error *decompress(struct decompressor *d)
{
	ZSTD_outBuffer out;
	size_t ret;

	memmove(d->output, d->output + d->at, d->len - d->at);
	d->len -= d->at;
	d->at = 0;
	out = (ZSTD_outBuffer){ .dst = d->output, .size = sizeof(d->output), .pos = d->len };
	ret = ZSTD_decompressStream(d->stream, &out, &d->in);
	if (ZSTD_isError(ret))
		return error_new(EBADMSG, "its compressed records are damaged (%s)",
				 ZSTD_getErrorName(ret));
	d->len = out.pos;
	/* When all of the output is used, zstd may hold more of it. */
	d->flushed = d->in.pos == d->in.size && out.pos < out.size;
	return NULL;
}

struct error *decompressor_next(struct decompressor *d, const struct perf_event_header **ret)
{
	*ret = NULL;
	for (;;) {
		const char *record = d->output + d->at;
		size_t have = d->len - d->at;
		struct error *err;
		uint16_t size;

		if (have >= sizeof(**ret)) {
			/* It may be at any address. */
			memcpy(&size, record + offsetof(struct perf_event_header, size),
			       sizeof(size));
			if (d->swapped)
				size = __builtin_bswap16(size);
			if (size < sizeof(**ret))
				return error_new(EBADMSG, "its compressed records are damaged "
						 "(a record of %u bytes)", size);
			if (have >= size) {
				d->at += size;
				*ret = (const void *)record;
				return NULL;
			}
		}
		if (d->flushed)
			return NULL;
		err = decompress(d);
		if (err)
			return err;
	}
}

bool decompressor_expand(struct decompressor *d, const void *data, size_t size, const void **ret,
			 size_t *ret_len)
{
	ZSTD_inBuffer in = { .src = data, .size = size };
	ZSTD_outBuffer out;

	if (!d->whole)
		d->whole = malloc(COMPRESSOR_ROOM);
	if (!d->whole)
		return false;
	out = (ZSTD_outBuffer){ .dst = d->whole, .size = COMPRESSOR_ROOM, .pos = d->whole_len };
	while (in.pos < in.size) {
		if (out.pos == out.size ||
		    ZSTD_isError(ZSTD_decompressStream(d->stream, &out, &in)))
			return false;
	}
	d->whole_len = out.pos;
	*ret = d->whole;
	*ret_len = out.pos;
	/* Room is left, so zstd has no more output. */
	return out.pos < out.size;
}
