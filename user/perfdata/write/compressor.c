// SPDX-License-Identifier: GPL-2.0
#include "perfdata/write/compressor.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/library.h"
#include "record/record.h"
#include "with/zstd.h"

/* The most compressed bytes in one record, a multiple of 8. */
#define CONTENT_MAX (65528 - sizeof(struct perf_event_header))

struct compressor {
	ZSTD_CCtx *context;
	int level;
	size_t size;		/* of frame[] */
	char frame[];
};

struct error *compressor_create(int level, struct compressor **ret)
{
	size_t size = ZSTD_compressBound(COMPRESSOR_PIECE);
	struct compressor *c;
	struct error *err = library_missing(LIBRARY_ZSTD);

	if (err)
		return error_prefix(err, "Records cannot be compressed");
	c = malloc(sizeof(*c) + size);
	if (!c)
		return &error_no_memory;
	c->level = level;
	c->size = size;
	c->context = ZSTD_createCCtx();
	if (!c->context) {
		free(c);
		return &error_no_memory;
	}
	*ret = c;
	return NULL;
}

void compressor_destroy(struct compressor *compressor)
{
	if (!compressor)
		return;
	ZSTD_freeCCtx(compressor->context);
	free(compressor);
}

struct error *compressor_add(struct compressor *c, const void *data, size_t size,
			     struct strbuf *out)
{
	size_t len, at;

	len = ZSTD_compressCCtx(c->context, c->frame, c->size, data, size,
				c->level);
	if (ZSTD_isError(len))
		return error_new(0, "Cannot compress records: %s", ZSTD_getErrorName(len));
	for (at = 0; at < len; ) {
		size_t n = len - at < CONTENT_MAX ? len - at : CONTENT_MAX;
		struct perf_event_header header = {
			.type = RECORD_COMPRESSED, .size = sizeof(header) + n,
		};

		strbuf_add(out, &header, sizeof(header));
		strbuf_add(out, c->frame + at, n);
		at += n;
	}
	return out->failed ? &error_no_memory : NULL;
}
