/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A capture by the ktrace device: its rings and counts.  It is used by backend_ktrace.c, which sets
 * up sessions, and by kept.c, which reads sessions of other processes.
 */
#ifndef KTRACE_CAPTURE_KTRACE_DEVICE_CAPTURE_H
#define KTRACE_CAPTURE_KTRACE_DEVICE_CAPTURE_H

#include <linux/ktrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/backend.h"
#include "capture/ring.h"
#include "lib/cleanup.h"

struct device_ring {
	struct ring ring;
	void *meta, *tail, *data;	/* NULL: not mapped */
	size_t data_size;
	uint64_t taken;		/* with a kept_reading, ring.tail until kept_release() */
};

struct device_event {
	uint32_t index;			/* the module's number */
	enum ktrace_path path;
	const char *fallback;		/* why it is not captured by the requested path */
};

struct kept_reading;

struct device_capture {
	struct capture base;
	struct event_list *events;
	const struct cpumap *cpus;
	struct cpumap present;		/* cpus points here if it is not the target's */
	int fd;
	struct device_ring *rings;	/* one per CPU of the target */
	struct device_event *device;	/* by id from KTRACE_ID_BASE on */
	size_t nr_device;
	bool has_compact;		/* the module supports compact records */
	bool has_regs;			/* the module supports registers of call chains */
	bool is_alone;			/* samples have no ids: the first event is the only one */
	bool stopped;
	struct kept_reading *reading;	/* of a kept session; NULL: this process has set it up */

	/* If the rings overwrite: */
	bool overwrite;
	char *copy;			/* room for one ring */
	uint64_t *kept;			/* samples of the last snapshot, [device][cpu] */
	uint64_t fields;		/* common fields that the module supports, 1 << number */
};

/* The records taken from the rings of a kept session. */
struct kept_taken {
	uint64_t samples;
	uint64_t lost[LEDGER_LOST_NR];
};

struct kept_reading {
	struct ring_visitor visitor;	/* counts the taken records */
	struct device_capture *capture;
	bool ends;			/* stop() ends the session; otherwise it continues */
	bool is_first;			/* this is the first reader */
	struct kept_taken *taken;	/* [device][cpu]; owned */
};

static inline struct device_capture *to_device(struct capture *base)
{
	return container_of(base, struct device_capture, base);
}

static inline const struct device_event *device_of(const struct device_capture *c,
						   const struct event *event)
{
	return &c->device[event->ids[0] - KTRACE_ID_BASE];
}

/* The index in c->device for the event of a record in a ring; beyond its end if it is unknown. */
static inline uint64_t device_index_of(const struct device_capture *c,
				       const struct perf_event_header *header)
{
	if (c->is_alone && header->type == PERF_RECORD_SAMPLE)
		return 0;
	return *(const uint64_t *)(header + 1) - KTRACE_ID_BASE;
}

void device_close(struct capture *base);

static inline void device_destroy(struct device_capture *c)
{
	if (c)
		device_close(&c->base);
}

DEFINE_CLEANUP_PTR(device, struct device_capture, device_destroy)

/* Allocate the rings once the CPUs are known, then map them; each has @pages pages of data. */
struct error *device_alloc_rings(struct device_capture *c, unsigned int pages);
struct error *device_map_rings(struct device_capture *c, unsigned int pages);

/* Read the counts of an event on the CPU number @nth of c->cpus, also as a ledger row. */
struct error *device_read_stats(const struct device_capture *c, const struct event *event,
				size_t nth, struct ktrace_stats *stats, struct ledger_row *ret);

/*
 * From now on, count the records taken from the rings in c->reading; if @ends, stop() ends the
 * session.
 */
struct error *kept_reading_start(struct device_capture *c, bool ends);

/*
 * Reduce @row, which counts from the beginning of the session, to the records that were taken here,
 * if that is known.  @nr is the number of the row in kept_reading.taken.
 */
void kept_reading_row(const struct device_capture *c, size_t nr, const struct ktrace_stats *stats,
		      struct ledger_row *row);
void kept_reading_free(struct kept_reading *reading);

#endif
