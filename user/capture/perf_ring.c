// SPDX-License-Identifier: GPL-2.0
#include "capture/perf_ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/perf_open.h"

/* If a ring is mapped read-only, the kernel does not wait for its reader, but overwrites it. */
struct error *perf_ring_map(struct perf_ring *ring, int fd, unsigned int pages, uint32_t cpu,
			    bool overwrite)
{
	size_t page_size = sysconf(_SC_PAGESIZE), size = (pages + 1) * page_size;
	void *map;

	map = mmap(NULL, size, overwrite ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return perf_open_map_error(errno, pages, cpu);
	ring->page = map;
	ring->map_size = size;
	ring->fd = fd;
	ring->ring = (struct ring){
		.head = (uint64_t *)&ring->page->data_head,
		.tail = (uint64_t *)&ring->page->data_tail,
		.data = (char *)map + page_size,
		.size = pages * page_size,
		.cpu = cpu,
	};
	return NULL;
}

void perf_ring_unmap(struct perf_ring *ring)
{
	if (ring->page)
		munmap(ring->page, ring->map_size);
	ring->page = NULL;
}
