// SPDX-License-Identifier: GPL-2.0
#include "capture/perf/perf_capture.h"
#include "lib/monotonic.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/feature.h"
#include "lib/cleanup.h"

struct fault_sample {
	struct perf_event_header header;
	uint64_t time;
};

/* Touch a page that is not mapped yet, and read the time of the last fault from the ring. */
static uint64_t time_of_fault(const char *ring, size_t page, char *fresh, uint64_t *ret_realtime)
{
	const volatile __u64 *head = &((const struct perf_event_mmap_page *)ring)->data_head;
	struct fault_sample sample;
	/* The first read of the head's page causes a fault by itself. */
	uint64_t first = *head, before = clock_ns(CLOCK_REALTIME);

	*(volatile char *)fresh = 1;
	*ret_realtime = before + (clock_ns(CLOCK_REALTIME) - before) / 2;
	if (*head < first + sizeof(sample) || *head > page)
		return 0;
	memcpy(&sample, ring + page + *head - sizeof(sample), sizeof(sample));
	return sample.header.type == PERF_RECORD_SAMPLE ? sample.time : 0;
}

uint64_t perf_time_read(uint64_t *ret_realtime)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME, .exclude_kernel = 1, .exclude_hv = 1,
	};
	size_t page = sysconf(_SC_PAGESIZE);
	_cleanup_close_ int fd = -1;
	uint64_t time = 0;
	void *ring, *fresh;

	fd = feature_perf_event_open(&attr, 0, -1, -1, 0);
	if (fd < 0)
		return 0;
	ring = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	fresh = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ring != MAP_FAILED && fresh != MAP_FAILED)
		time = time_of_fault(ring, page, fresh, ret_realtime);
	if (ring != MAP_FAILED)
		munmap(ring, 2 * page);
	if (fresh != MAP_FAILED)
		munmap(fresh, page);
	return time;
}
