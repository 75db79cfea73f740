/* SPDX-License-Identifier: GPL-2.0 */
/*
 * zstd, or stand-ins that fail.
 */
#ifndef KTRACE_WITH_ZSTD_H
#define KTRACE_WITH_ZSTD_H

#include <libraries.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#else

#include <stddef.h>

typedef void ZSTD_CCtx;
typedef void ZSTD_DStream;

typedef struct {
	const void *src;
	size_t size, pos;
} ZSTD_inBuffer;

typedef struct {
	void *dst;
	size_t size, pos;
} ZSTD_outBuffer;

/* Its only error. */
#define ZSTD_ABSENT	((size_t)-1)
#define ZSTD_isError(code)		((code) == ZSTD_ABSENT)
#define ZSTD_getErrorName(code)		((void)(code), "zstd is missing")
#define ZSTD_compressBound(size)	(size)
#define ZSTD_createCCtx()		NULL
#define ZSTD_createDStream()		NULL
#define ZSTD_freeCCtx(context)		((void)(context))
#define ZSTD_freeDStream(stream)	((void)(stream))
#define ZSTD_DCtx_reset(stream, what)	((void)(stream))

static inline size_t zstd_absent(size_t dummy, ...)
{
	return ZSTD_ABSENT;
}

#define ZSTD_compress(...)		zstd_absent(0, __VA_ARGS__)
#define ZSTD_compressCCtx(...)		zstd_absent(0, __VA_ARGS__)
#define ZSTD_decompress(...)		zstd_absent(0, __VA_ARGS__)
#define ZSTD_decompressStream(...)	zstd_absent(0, __VA_ARGS__)

#endif
#endif
