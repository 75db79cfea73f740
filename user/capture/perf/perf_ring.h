/* SPDX-License-Identifier: GPL-2.0 */
/* The perf_event ring of one CPU or task, where all events of a capture write. */
#ifndef KTRACE_CAPTURE_PERF_PERF_RING_H
#define KTRACE_CAPTURE_PERF_PERF_RING_H

#include <linux/perf_event.h>

#include "capture/ring.h"

struct event;

struct perf_ring {
	struct ring ring;
	struct perf_event_mmap_page *page;	/* NULL: no event there */
	size_t map_size;
	int fd;			/* of the event that has the ring; not owned */
	uint64_t placed;	/* losses reported by LOST records in the ring */
	uint64_t last_time;
	const struct event *last_event;	/* of the last sample; NULL: none yet */
	uint64_t last_id;
};

/*
 * Map a ring of @pages pages for the event of @fd, on @cpu (UINT32_MAX: of a task);
 * @overwrite: read-only.
 */
struct error *perf_ring_map(struct perf_ring *ring, int fd, unsigned int pages, uint32_t cpu,
			    bool overwrite);
void perf_ring_unmap(struct perf_ring *ring);

/*
 * Read perf's default clock for records (no -k), by the page in front of the ring.  Returns ns, or
 * 0 if the kernel or this CPU does not support it.
 */
uint64_t perf_ring_clock(const struct perf_ring *ring);

#endif
