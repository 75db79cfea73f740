/* SPDX-License-Identifier: GPL-2.0 */
/* perf_event's ring of one CPU, into which all events of a capture write. */
#ifndef KTRACE_CAPTURE_PERF_RING_H
#define KTRACE_CAPTURE_PERF_RING_H

#include <linux/perf_event.h>

#include "capture/ring.h"

struct event;

struct perf_ring {
	struct ring ring;
	struct perf_event_mmap_page *page;	/* NULL: no event on this CPU */
	size_t map_size;
	int fd;			/* whose ring it is; not owned */
	uint64_t placed;	/* losses that LOST records in the ring told of */
	uint64_t last_time;
	const struct event *last_event;	/* of the last sample; NULL: none yet */
	uint64_t last_id;
};

/* The ring of the event that @fd is, of @pages pages; @overwrite: read-only. */
struct error *perf_ring_map(struct perf_ring *ring, int fd, unsigned int pages, uint32_t cpu,
			    bool overwrite);
void perf_ring_unmap(struct perf_ring *ring);

#endif
