/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a capture through perf_event, which backend_perf and perf_ledger share.
 */
#ifndef KTRACE_CAPTURE_PERF_PERF_CAPTURE_H
#define KTRACE_CAPTURE_PERF_PERF_CAPTURE_H

#include "capture/backend.h"
#include "capture/perf/perf_hotplug.h"
#include "capture/perf/perf_ring.h"
#include "capture/perf/perf_watch.h"
#include "capture/perf/task_records.h"
#include "spec/filter_expr.h"

struct perf_fd {
	int fd;			/* -1: the task has ended */
	uint32_t event;		/* index in the event list */
	uint32_t ring;
	uint64_t id;
};

/* What became of an event's samples in one ring. */
struct perf_tally {
	uint64_t recorded, filtered;	/* filtered: by us, while draining */
	uint64_t replaced;	/* firings whose record of this event comes, and counts no more */
};

struct perf_capture {
	struct capture base;
	struct ring_visitor visitor;
	struct event_list *events;
	const struct capture_target *target;
	const pid_t *tasks;	/* tasks with events; NULL: whole CPUs */
	size_t nr_tasks;
	int32_t clockid;
	bool timed;		/* perf's clock was read in the only way that there is here */
	bool per_task;		/* a ring is of a task on any CPU, not of a CPU */
	size_t nr_places;	/* CPUs, or tasks, that have a ring */
	size_t per_event;	/* descriptors of an event: CPUs x tasks, or tasks */
	pid_t own_pid;
	uint64_t recorded, own;	/* number of samples; those that this process caused */
	bool told_filter;	/* whether the user was told that we apply a filter */
	bool stopped, paused;
	struct {
		struct perf_fd *items;
		size_t nr, alloc;
	} fds;
	struct perf_ring *rings;	/* one per place, then the overwritten ones */
	size_t nr_rings;
	unsigned int stack_pages;	/* of each ring, as stacks are copied; 0: as all */
	struct perf_hotplug hotplug;
	struct perf_watch watch;
	const struct filter_node **filters; /* by event: the one that the kernel cannot run */
	struct perf_tally *tallies;	/* by [event][ring]; allocated by start() */
	size_t nr_events;		/* events these were allocated for */

	/* If whole CPUs report the tasks, and we sort out those of a command: */
	bool sorts_tasks;
	struct task_records task_records;
	uint64_t mark;		/* all records before it are in the rings; mark() sets it */
	uint64_t given;		/* the mark up to which records were given */
};

#endif
