// SPDX-License-Identifier: GPL-2.0
#include "capture/perf/perf_ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

#include "capture/perf/perf_open.h"

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

#if defined(__x86_64__) || defined(__i386__)
static uint64_t read_cycles(void)
{
	/* The counter must not be read before earlier instructions have completed. */
	_mm_lfence();
	return __rdtsc();
}
#elif defined(__aarch64__)
static uint64_t read_cycles(void)
{
	uint64_t value;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(value) : : "memory");
	return value;
}
#else
static uint64_t read_cycles(void)
{
	return 0;
}
#endif

uint64_t perf_ring_clock(const struct perf_ring *ring)
{
	const volatile struct perf_event_mmap_page *p = ring->page;
	uint64_t cycles, zero, quotient, remainder;
	uint32_t seq, mult;
	uint16_t shift;

	do {
		seq = p->lock;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!p->cap_user_time_zero)
			return 0;
		zero = p->time_zero;
		mult = p->time_mult;
		shift = p->time_shift;
		cycles = read_cycles();
		if (p->cap_user_time_short)
			cycles = p->time_cycles + ((cycles - p->time_cycles) & p->time_mask);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (p->lock != seq);

	quotient = cycles >> shift;
	remainder = cycles & ((1ULL << shift) - 1);
	return zero + quotient * mult + ((remainder * mult) >> shift);
}
