// SPDX-License-Identifier: GPL-2.0
#include "capture/perf/perf_capture.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/perf/perf_open.h"
#include "capture/perf/perf_ring.h"
#include "lib/array.h"
#include "lib/log.h"
#include "record/body.h"

struct hotplug_ring {
	struct perf_ring ring;
	uint32_t cpu;
	int fd;
};

/* A record's size is 16 bits wide. */
#define RECORD_MAX 65536

/*
 * If records have ids, every record ends with the descriptor's id, but the file knows the event by
 * the id of another descriptor.  We replace it in a copy, because we must not write to the ring's
 * memory.
 */
static bool write_with_known_id(struct ring_visitor *visitor, const struct ring *ring,
				const struct perf_event_header *header)
{
	struct perf_hotplug *h = container_of(visitor, struct perf_hotplug, visitor);
	uint64_t words[RECORD_MAX / sizeof(uint64_t)];
	struct record_span span = { .data = words, .size = header->size, .cpu = ring->cpu };
	struct body_lost *lost = (void *)((struct perf_event_header *)words + 1);

	memcpy(words, header, header->size);
	if (h->event->attr.sample_type & PERF_SAMPLE_IDENTIFIER)
		words[header->size / sizeof(*words) - 1] = h->event->ids[0];
	if (header->type == PERF_RECORD_LOST)
		lost->id = h->event->ids[0];
	if (!h->err)
		h->err = record_sink_write(h->sink, &span);
	return false;
}

static struct error *drain_ring(struct perf_hotplug *h, struct hotplug_ring *ring,
				struct record_sink *sink)
{
	struct error *err;

	if (!ring->ring.page)
		return NULL;
	h->sink = sink;
	h->err = NULL;
	err = ring_drain(&ring->ring.ring, &h->visitor, sink);
	if (!err)
		return h->err;
	error_free(h->err);
	return err;
}

/*
 * Open a socket for the kernel's messages about devices, which only the first network namespace
 * receives.
 */
static int open_uevents(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void perf_hotplug_init(struct perf_hotplug *h, const struct event *event,
		       const struct capture_target *target, unsigned int pages)
{
	h->visitor.visit = write_with_known_id;
	h->event = event;
	h->target = target;
	h->pages = pages;
	/*
	 * Events of tasks are not bound to a CPU.  If whole CPUs report the tasks of a command,
	 * their records are sorted, but records of these rings are not.
	 */
	h->uevents = target->tasks ? -1 : open_uevents();
}

static void close_ring(struct hotplug_ring *ring)
{
	perf_ring_unmap(&ring->ring);
	if (ring->fd >= 0)
		close(ring->fd);
	ring->fd = -1;
}

void perf_hotplug_deinit(struct perf_hotplug *h)
{
	if (!h->event)
		return;
	for (size_t i = 0; i < h->rings.nr; i++)
		close_ring(&h->rings.items[i]);
	free(h->rings.items);
	if (h->uevents >= 0)
		close(h->uevents);
}

/*
 * Find or add the ring of a CPU.  If the CPU was online before, its old event is gone, and we only
 * read its remaining records.
 */
static struct error *get_ring(struct perf_hotplug *h, uint32_t cpu, struct record_sink *sink,
			      struct hotplug_ring **ret)
{
	struct hotplug_ring new = { .cpu = cpu, .fd = -1 };
	struct error *err;

	for (size_t i = 0; i < h->rings.nr; i++) {
		struct hotplug_ring *ring = &h->rings.items[i];

		if (ring->cpu != cpu)
			continue;
		err = drain_ring(h, ring, sink);
		close_ring(ring);
		*ret = ring;
		return err;
	}
	if (!array_push(&h->rings, new))
		return &error_no_memory;
	*ret = &h->rings.items[h->rings.nr - 1];
	return NULL;
}

static struct error *follow(struct perf_hotplug *h, uint32_t cpu, struct record_sink *sink)
{
	struct hotplug_ring *ring;
	struct error *err;

	if (!h->target->hotplug && !cpumap_has(h->target->cpus, cpu))
		return NULL;
	err = get_ring(h, cpu, sink, &ring);
	if (err)
		return err;
	err = perf_open(h->event, -1, cpu, -1, &ring->fd);
	if (!err)
		err = perf_ring_map(&ring->ring, ring->fd, h->pages, cpu, false);
	if (!err && h->event->attr.disabled && ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0))
		err = error_errno(errno, "Cannot start %s", h->event->name);
	if (err)
		/* The CPU may be offline again already. */
		log_debug("CPU %u came online, but not to this recording: %s.", cpu, err->message);
	error_free(err);
	return NULL;
}

struct error *perf_hotplug_drain(struct perf_hotplug *h, struct record_sink *sink)
{
	struct error *err = NULL;
	char message[4096];
	uint32_t cpu;
	ssize_t n;

	if (!h->event)
		return NULL;
	while (!err && h->uevents >= 0 &&
	       (n = recv(h->uevents, message, sizeof(message) - 1, 0)) > 0) {
		message[n] = '\0';
		if (sscanf(message, "online@/devices/system/cpu/cpu%u", &cpu) == 1)
			err = follow(h, cpu, sink);
	}
	for (size_t i = 0; !err && i < h->rings.nr; i++)
		err = drain_ring(h, &h->rings.items[i], sink);
	return err;
}

void perf_hotplug_stop(struct perf_hotplug *h)
{
	if (!h->event)
		return;
	for (size_t i = 0; i < h->rings.nr; i++)
		if (h->rings.items[i].fd >= 0)
			ioctl(h->rings.items[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	if (h->uevents >= 0)
		close(h->uevents);
	h->uevents = -1;
}
