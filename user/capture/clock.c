// SPDX-License-Identifier: GPL-2.0
#include "capture/clock.h"

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>

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

uint64_t clock_perf(const struct perf_event_mmap_page *page)
{
	const volatile struct perf_event_mmap_page *p = page;
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
