// SPDX-License-Identifier: GPL-2.0
#include "symbol/elf/unpack.h"

#include <string.h>

#include "lib/array.h"
#include "lib/file.h"
#include "lib/library.h"
#include "with/zstd.h"

#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#define UNPACK_STEP	(1 << 20)

/* Make room for more, up to the limit of decompressed bytes. */
static bool unpack_room(struct strbuf *text)
{
	return text->len < UNPACK_MAX && strbuf_reserve(text, UNPACK_STEP);
}

static bool unpack_xz(const void *data, size_t size, struct strbuf *ret)
{
#ifdef HAVE_LZMA
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret state = lzma_stream_decoder(&stream, UNPACK_MAX, LZMA_CONCATENATED);

	stream.next_in = data;
	stream.avail_in = size;
	while (state == LZMA_OK && unpack_room(ret)) {
		stream.next_out = (uint8_t *)ret->data + ret->len;
		stream.avail_out = UNPACK_STEP;
		state = lzma_code(&stream, LZMA_FINISH);
		ret->len += UNPACK_STEP - stream.avail_out;
	}
	lzma_end(&stream);
	return state == LZMA_STREAM_END;
#else
	library_notice(LIBRARY_LZMA);
	return false;
#endif
}

static bool unpack_zstd(const void *data, size_t size, struct strbuf *ret)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = { .src = data, .size = size };
	size_t left = 1;

	library_notice(LIBRARY_ZSTD);
	while (stream && left && !ZSTD_isError(left) && unpack_room(ret)) {
		ZSTD_outBuffer out = { .dst = ret->data + ret->len, .size = UNPACK_STEP };

		left = ZSTD_decompressStream(stream, &out, &in);
		ret->len += out.pos;
		if (!out.pos && in.pos == in.size)
			break;
		if (!left && in.pos < in.size)
			left = 1;	/* another frame */
	}
	ZSTD_freeDStream(stream);
	return !left;
}

static bool unpack_gzip(const void *data, size_t size, struct strbuf *ret)
{
#ifdef HAVE_ZLIB
	z_stream stream = { .next_in = (void *)data, .avail_in = size };
	int state = size > UINT32_MAX ? Z_MEM_ERROR : inflateInit2(&stream, MAX_WBITS + 16);

	if (state != Z_OK)
		return false;
	while (state == Z_OK && unpack_room(ret)) {
		stream.next_out = (Bytef *)ret->data + ret->len;
		stream.avail_out = UNPACK_STEP;
		state = inflate(&stream, Z_NO_FLUSH);
		ret->len += UNPACK_STEP - stream.avail_out;
	}
	inflateEnd(&stream);
	return state == Z_STREAM_END;
#else
	library_notice(LIBRARY_ZLIB);
	return false;
#endif
}

static const struct format {
	const char *magic;
	size_t len;
	bool (*unpack)(const void *data, size_t size, struct strbuf *ret);
} formats[] = {
	{ "\xfd" "7zXZ", 6, unpack_xz },
	{ "\x28\xb5\x2f\xfd", 4, unpack_zstd },
	{ "\x1f\x8b", 2, unpack_gzip },
};

static const struct format *packed_format(const void *data, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (size >= formats[i].len && !memcmp(data, formats[i].magic, formats[i].len))
			return &formats[i];
	return NULL;
}

bool unpack(const void *data, size_t size, struct strbuf *ret)
{
	const struct format *format = packed_format(data, size);

	return format && format->unpack(data, size, ret) && !ret->failed;
}

bool unpack_module(const char *path, struct strbuf *ret)
{
	_cleanup_free_ char *data = NULL;
	struct error *err;
	size_t size;
	bool done;

	if (!strstr(path, ".ko."))
		return false;
	err = file_read_regular(path, &data, &size);
	done = !err && unpack(data, size, ret);
	error_free(err);
	return done;
}
