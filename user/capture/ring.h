/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads one mapped ring of perf_event or of the device: the records between tail and head are
 * passed to a sink as spans of whole records.
 */
#ifndef KTRACE_CAPTURE_RING_H
#define KTRACE_CAPTURE_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "record/record.h"

struct ring {
	const uint64_t *head;	/* bytes ever written; set by the kernel */
	uint64_t *tail;		/* bytes ever consumed; set by us */
	const char *data;
	uint64_t size;		/* of data, a power of two */
	bool twice;		/* data is mapped twice in a row; all sizes are multiples of 8 */
	uint32_t cpu;
};

/* Called for every record.  If it returns false, the sink does not get the record. */
struct ring_visitor {
	bool (*visit)(struct ring_visitor *visitor, const struct ring *ring,
		      const struct perf_event_header *header);
};

/*
 * Pass the current content of the ring to @sink, and free its room.  @visitor may be NULL.  It is
 * an error if the ring is broken: a record of size 0 or beyond head.
 */
struct error *ring_drain(struct ring *ring, struct ring_visitor *visitor,
			 struct record_sink *sink);

/* A record's size is 16 bits wide. */
#define RING_RECORD_MAX 65536

/*
 * Copy the oldest record to @record, which has RING_RECORD_MAX bytes, and free only its room. *ret
 * is false if the ring is empty.  The errors are those of ring_drain().
 */
struct error *ring_take(struct ring *ring, void *record, bool *ret);

/*
 * As ring_drain(), for a ring that the kernel writes backwards and overwrites, and that is paused.
 * The oldest record comes first.
 */
struct error *ring_drain_backward(struct ring *ring, struct ring_visitor *visitor,
				  struct record_sink *sink);

#endif
