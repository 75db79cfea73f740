/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPUs that come online while whole CPUs are recorded: the event that tells of tasks
 * is opened there again, with a ring of its own.  What perf_event counted on a CPU it
 * takes away with it; who the tasks are, the device's records need to know.
 */
#ifndef KTRACE_CAPTURE_PERF_HOTPLUG_H
#define KTRACE_CAPTURE_PERF_HOTPLUG_H

#include "capture/backend.h"
#include "capture/ring.h"

struct hotplug_ring;

struct perf_hotplug {
	struct ring_visitor visitor;
	struct record_sink *sink;	/* of the visitor, while it visits */
	struct error *err;		/* its first */
	int uevents;			/* a socket; -1: nothing is followed */
	const struct event *event;
	const struct capture_target *target;
	unsigned int pages;		/* of each ring */
	struct {
		struct hotplug_ring *items;
		size_t nr, alloc;
	} rings;
};

/*
 * From now on; @event and @target must outlive it.  Where CPUs cannot be followed,
 * they are not: that is no error.
 */
void perf_hotplug_init(struct perf_hotplug *hotplug, const struct event *event,
		       const struct capture_target *target, unsigned int pages);
/* Also of one that is all zeros. */
void perf_hotplug_deinit(struct perf_hotplug *hotplug);

/* Open the event on CPUs that have come online, and hand on what it wrote there. */
struct error *perf_hotplug_drain(struct perf_hotplug *hotplug, struct record_sink *sink);

/* Nothing new is written. */
void perf_hotplug_stop(struct perf_hotplug *hotplug);

#endif
