/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compresses records into PERF_RECORD_COMPRESSED.  Each piece of input becomes one zstd
 * frame, which is cut into as many records as its size needs.
 */
#ifndef KTRACE_PERFDATA_WRITE_COMPRESSOR_H
#define KTRACE_PERFDATA_WRITE_COMPRESSOR_H

#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"

/* The number of zstd in the header. */
#define COMPRESSOR_ZSTD 1

/* The most bytes that compressor_add() takes at once. */
#define COMPRESSOR_PIECE (1024 * 1024)

/*
 * The size of the output buffer that readers must provide.  It exceeds a piece, because perf
 * decompresses with a single call, which ends too early once its output is full.
 */
#define COMPRESSOR_ROOM (COMPRESSOR_PIECE + 4096)

struct compressor;

/* @level is zstd's compression level, from 1 (fastest) to 22. */
struct error *compressor_create(int level, struct compressor **ret);
void compressor_destroy(struct compressor *compressor);

/*
 * Compress @size bytes (up to COMPRESSOR_PIECE) and append the resulting records to
 * @out.  As with perf, the sizes of these records are not multiples of 8.  They cannot be padded:
 * perf passes the whole content of a record to a single call of the decompressor.
 */
struct error *compressor_add(struct compressor *compressor, const void *data, size_t size,
			     struct strbuf *out);

#endif
