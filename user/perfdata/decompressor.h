/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records inside PERF_RECORD_COMPRESSED: one zstd stream cut into pieces,
 * whose ends need not be those of records.
 */
#ifndef KTRACE_PERFDATA_DECOMPRESSOR_H
#define KTRACE_PERFDATA_DECOMPRESSOR_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct decompressor;

/* @swapped: the records are in the other byte order, and are given as they are. */
struct error *decompressor_create(bool swapped, struct decompressor **ret);
void decompressor_destroy(struct decompressor *decompressor);
DEFINE_CLEANUP_PTR(decompressor, struct decompressor, decompressor_destroy)

/* Forget all of the stream so far: what is fed next begins another. */
void decompressor_reset(struct decompressor *decompressor);

/* The next piece; @data is borrowed until decompressor_next() gives NULL. */
void decompressor_feed(struct decompressor *decompressor, const void *data, size_t size);

/*
 * The next whole record; NULL: feed the next piece.  Valid until the next
 * call, 8-aligned.
 */
struct error *decompressor_next(struct decompressor *decompressor,
				const struct perf_event_header **ret);

/*
 * Take in @data, the next piece, at once: *ret is all that the pieces since
 * decompressor_reset() gave, 8-aligned, valid until the next call.  False: they
 * are damaged, or more than a piece of ours.  Not to be mixed with
 * decompressor_feed() without a reset.
 */
bool decompressor_expand(struct decompressor *decompressor, const void *data, size_t size,
			 const void **ret, size_t *ret_len);

#endif
