/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading one mapped ring, perf_event's or the device's: records between tail
 * and head, handed to a sink as spans of whole records.
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
	const uint64_t *head;	/* bytes ever written; the kernel's */
	uint64_t *tail;		/* bytes ever consumed; ours */
	const char *data;
	uint64_t size;		/* of data, a power of two */
	bool twice;		/* data is mapped twice in a row: nothing wraps */
	uint32_t cpu;
};

/* Sees every record; false: it is left out of what the sink gets. */
struct ring_visitor {
	bool (*visit)(struct ring_visitor *visitor, const struct ring *ring,
		      const struct perf_event_header *header);
};

/*
 * Hand what is in the ring now to @sink and give the room back.  @visitor may
 * be NULL.  A broken ring (a record of size 0 or beyond head) is an error.
 */
struct error *ring_drain(struct ring *ring, struct ring_visitor *visitor,
			 struct record_sink *sink);

/*
 * The same for a ring that the kernel writes backwards and overwrites, which is
 * no longer written: what is left of it, the oldest record first.
 */
struct error *ring_drain_backward(struct ring *ring, struct ring_visitor *visitor,
				  struct record_sink *sink);

#endif
