/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a capture through perf_event, and the counting in it: what of
 * each event was recorded, filtered by us, and lost.
 */
#ifndef KTRACE_CAPTURE_PERF_COUNT_H
#define KTRACE_CAPTURE_PERF_COUNT_H

#include "capture/backend.h"
#include "capture/event_filter.h"
#include "capture/perf_hotplug.h"
#include "capture/perf_ring.h"
#include "capture/perf_watch.h"
#include "capture/task_records.h"

struct perf_fd {
	int fd;			/* -1: the task was gone */
	uint32_t event;		/* index in the event list */
	uint32_t ring;
	uint64_t id;
};

/* What becomes of an event's samples; on one CPU. */
struct perf_count {
	uint64_t recorded, filtered;	/* filtered: by us, while draining */
};

struct perf_capture {
	struct capture base;
	struct ring_visitor visitor;
	struct event_list *events;
	const struct capture_target *target;
	const pid_t *tasks;	/* whose the events are; NULL: of whole CPUs */
	size_t nr_tasks;
	int32_t clockid;
	size_t per_event;	/* descriptors of an event: CPUs x tasks */
	pid_t own_pid;
	uint64_t recorded, own;	/* samples; those of this process */
	bool told_filter;	/* that a filter is applied by us */
	bool stopped;
	struct {
		struct perf_fd *items;
		size_t nr, alloc;
	} fds;
	struct perf_ring *rings;	/* one per CPU of the target; then those overwritten */
	size_t nr_rings;
	struct perf_hotplug hotplug;
	struct perf_watch watch;
	struct event_filter *filters;	/* by event: those the kernel cannot run */
	struct perf_count *counts;	/* by [event][ring], from start() on */
	size_t nr_events;		/* events these were allocated for */

	/* Where whole CPUs tell of a command's tasks: */
	bool sorts_tasks;
	struct task_records task_records;
	uint64_t mark;		/* all before it is in the rings; set by mark()'s thread */
	uint64_t given;		/* the mark up to which the records were given */
};

/* The visitor of all rings: counts, and leaves out what a filter of ours rejects. */
bool perf_count_record(struct ring_visitor *visitor, const struct ring *ring,
		       const struct perf_event_header *header);

/*
 * When nothing is written any more: the ledger rows of the @nth ring, and LOST
 * records for what none in the ring told of.
 */
struct error *perf_count_ledger(struct perf_capture *c, uint32_t nth, struct record_sink *sink,
				struct ledger *ledger);

#endif
