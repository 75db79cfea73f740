/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Extracts the records inside PERF_RECORD_COMPRESSED: one zstd stream that is cut into pieces,
 * which need not end where records do.
 */
#ifndef KTRACE_PERFDATA_DECOMPRESSOR_H
#define KTRACE_PERFDATA_DECOMPRESSOR_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct decompressor;

/* @swapped: the records are in the other byte order; they are returned unchanged. */
struct error *decompressor_create(bool swapped, struct decompressor **ret);
void decompressor_destroy(struct decompressor *decompressor);

/* Drop the stream so far: the next piece begins another one. */
void decompressor_reset(struct decompressor *decompressor);

/* Feed the next piece; @data is borrowed until decompressor_next() stores NULL. */
void decompressor_feed(struct decompressor *decompressor, const void *data, size_t size);

/*
 * Store the next whole record in *ret.  It is valid until the next call, and aligned to 8 bytes if
 * the sizes of the records before it are.  NULL means that the next piece must be fed first.
 */
struct error *decompressor_next(struct decompressor *decompressor,
				const struct perf_event_header **ret);

/*
 * Decompress @data, the next piece, at once.  *ret is the whole output since decompressor_reset(),
 * 8-aligned, valid until the next call.  Returns false if the pieces are damaged, or if their
 * output exceeds the size of one frame of ktrace.  Call decompressor_reset() between
 * decompressor_feed() and this function.
 */
bool decompressor_expand(struct decompressor *decompressor, const void *data, size_t size,
			 const void **ret, size_t *ret_len);

#endif
