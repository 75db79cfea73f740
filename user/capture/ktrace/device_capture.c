// SPDX-License-Identifier: GPL-2.0
#include "capture/ktrace/device_capture.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

void device_close(struct capture *base)
{
	struct device_capture *c = to_device(base);
	size_t page = sysconf(_SC_PAGESIZE);

	for (size_t i = 0; c->rings && i < c->cpus->nr; i++) {
		if (c->rings[i].meta)
			munmap(c->rings[i].meta, page);
		if (c->rings[i].tail)
			munmap(c->rings[i].tail, page);
		if (c->rings[i].data)
			munmap(c->rings[i].data, c->rings[i].data_size * 2);
	}
	if (c->fd >= 0)
		close(c->fd);
	free(c->rings);
	free(c->device);
	free(c->copy);
	free(c->kept);
	kept_reading_free(c->reading);
	cpumap_deinit(&c->present);
	free(c);
}

static struct error *map_region(const struct device_capture *c, uint32_t cpu,
				enum ktrace_mmap_region region, void *at, size_t size, void **ret)
{
	bool ours = region == KTRACE_MMAP_TAIL && !c->overwrite;
	int prot = PROT_READ | (ours ? PROT_WRITE : 0);
	void *map = mmap(at, size, prot, MAP_SHARED | (at ? MAP_FIXED : 0), c->fd,
			 KTRACE_MMAP_OFFSET(cpu, region));

	if (map == MAP_FAILED)
		return error_errno(errno, "Cannot map the device's ring of CPU %u", cpu);
	*ret = map;
	return NULL;
}

/* Map the data twice in a row, so that every record can be read in one piece. */
static struct error *map_data(const struct device_capture *c, uint32_t cpu, size_t size,
			      struct device_ring *ring)
{
	struct error *err;
	void *half;
	char *map;

	map = mmap(NULL, size * 2, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return error_errno(errno, "There are no addresses for the ring of CPU %u", cpu);
	ring->data = map;
	ring->data_size = size;
	err = map_region(c, cpu, KTRACE_MMAP_DATA, map, size, &half);
	return err ? err : map_region(c, cpu, KTRACE_MMAP_DATA, map + size, size, &half);
}

struct error *device_map_rings(struct device_capture *c, unsigned int pages)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < c->cpus->nr; i++) {
		struct device_ring *ring = &c->rings[i];
		uint32_t cpu = c->cpus->cpus[i];
		struct ktrace_ring_meta *meta;
		struct ktrace_ring_tail *tail;

		err = map_region(c, cpu, KTRACE_MMAP_META, NULL, page, &ring->meta);
		if (!err)
			err = map_region(c, cpu, KTRACE_MMAP_TAIL, NULL, page, &ring->tail);
		if (!err)
			err = map_data(c, cpu, pages * page, ring);
		if (err)
			break;
		meta = ring->meta;
		tail = ring->tail;
		ring->ring = (struct ring){
			.head = (const uint64_t *)&meta->data_head,
			.tail = (uint64_t *)&tail->data_tail,
			.data = ring->data,
			.size = ring->data_size,
			.twice = true,
			.cpu = cpu,
		};
		/* The kernel moves the tails of rings that overwrite. */
		if (c->reading && !c->overwrite) {
			ring->taken = *ring->ring.tail;
			c->reading->is_first &= !ring->taken;
			ring->ring.tail = &ring->taken;
		}
	}
	return err;
}

struct error *device_alloc_rings(struct device_capture *c, unsigned int pages)
{
	c->rings = calloc(c->cpus->nr, sizeof(*c->rings));
	if (!c->rings)
		return &error_no_memory;
	if (!c->overwrite)
		return NULL;
	c->copy = malloc(pages * sysconf(_SC_PAGESIZE));
	c->kept = calloc(c->nr_device * c->cpus->nr + 1, sizeof(*c->kept));
	return c->copy && c->kept ? NULL : &error_no_memory;
}

struct error *device_read_stats(const struct device_capture *c, const struct event *event,
				size_t nth, struct ktrace_stats *stats, struct ledger_row *ret)
{
	unsigned long request = c->stopped || !c->overwrite ? KTRACE_IOC_STATS :
							      KTRACE_IOC_SNAPSHOT_STATS;
	uint32_t cpu = c->cpus->cpus[nth];

	*stats = (struct ktrace_stats){
		.size = sizeof(*stats), .index = device_of(c, event)->index, .cpu = cpu,
	};
	if (ioctl(c->fd, request, stats))
		return error_errno(errno, "The ktrace module gives no statistics of %s on CPU %u",
				   event->name, cpu);
	*ret = (struct ledger_row){
		.event = event->index, .cpu = cpu,
		.proof = stats->flags & KTRACE_STATS_BOUNDED ? LEDGER_BOUNDED : LEDGER_EXACT,
		.recorded = stats->recorded, .filtered = stats->filtered,
		.out_of_scope = stats->out_of_scope,
	};
	/* Reasons that only newer modules have are counted together. */
	for (uint32_t reason = 0; reason < KTRACE_LOST_NR; reason++)
		ret->lost[ledger_reason_of_device(reason)] += stats->lost[reason];
	return NULL;
}
