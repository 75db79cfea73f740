/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records into PERF_RECORD_COMPRESSED: a zstd frame for every piece, cut into
 * as many records as its size needs.
 */
#ifndef KTRACE_PERFDATA_COMPRESSOR_H
#define KTRACE_PERFDATA_COMPRESSOR_H

#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"

/* What the header calls zstd. */
#define COMPRESSOR_ZSTD 1

/* The largest piece. */
#define COMPRESSOR_PIECE (1024 * 1024)

/* What readers are told to have room for: a full output ends perf's only call too early. */
#define COMPRESSOR_ROOM (COMPRESSOR_PIECE + 4096)

struct compressor;

/* @level: zstd's, 1 (fastest) to 22. */
struct error *compressor_create(int level, struct compressor **ret);
void compressor_destroy(struct compressor *compressor);
DEFINE_CLEANUP_PTR(compressor, struct compressor, compressor_destroy)

/*
 * Append the records of @size bytes (up to COMPRESSOR_PIECE) to @out.  Their
 * sizes are no multiples of 8, as with perf: it reads nothing into them that
 * could fill them up, and decompresses each by a single call.
 */
struct error *compressor_add(struct compressor *compressor, const void *data, size_t size,
			     struct strbuf *out);

#endif
