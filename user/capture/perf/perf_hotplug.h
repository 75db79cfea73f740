/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Follows CPUs that come online while whole CPUs are recorded: the event that reports tasks
 * is opened on them again, with a ring of its own.  Samples of perf_event on such a CPU are
 * lost, but the tasks on it must be known for the records of the device.
 */
#ifndef KTRACE_CAPTURE_PERF_PERF_HOTPLUG_H
#define KTRACE_CAPTURE_PERF_PERF_HOTPLUG_H

#include "capture/backend.h"
#include "capture/ring.h"

struct hotplug_ring;

struct perf_hotplug {
	struct ring_visitor visitor;
	struct record_sink *sink;	/* of the visitor, while it runs */
	struct error *err;		/* the first error of the visitor */
	int uevents;			/* a socket; -1: CPUs are not followed */
	const struct event *event;
	const struct capture_target *target;
	unsigned int pages;		/* of each ring */
	struct {
		struct hotplug_ring *items;
		size_t nr, alloc;
	} rings;
};

/*
 * Begin to follow CPUs; @event and @target must outlive it.  It is no error if the kernel's
 * messages about CPUs cannot be received; then no CPU is followed.
 */
void perf_hotplug_init(struct perf_hotplug *hotplug, const struct event *event,
		       const struct capture_target *target, unsigned int pages);
/* Release everything.  A struct that is all zeros is allowed. */
void perf_hotplug_deinit(struct perf_hotplug *hotplug);

/* Open the event on CPUs that have come online, and pass on what it wrote there. */
struct error *perf_hotplug_drain(struct perf_hotplug *hotplug, struct record_sink *sink);

/* Stop the events, so that nothing new is written. */
void perf_hotplug_stop(struct perf_hotplug *hotplug);

#endif
