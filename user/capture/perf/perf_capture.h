/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of a capture through perf_event, and the state that they share.
 */
#ifndef KTRACE_CAPTURE_PERF_PERF_CAPTURE_H
#define KTRACE_CAPTURE_PERF_PERF_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/backend.h"
#include "capture/perf/perf_ring.h"
#include "capture/perf/task_records.h"
#include "capture/ring.h"
#include "spec/filter_expr.h"

/*
 * Follows CPUs that come online while whole CPUs are recorded: the event that reports tasks
 * is opened on them again, with a ring of its own.  Samples of perf_event on such a CPU are
 * lost, but the tasks on it must be known for the records of the device.
 */
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

/*
 * Notices CPUs that perf_event does not record although they should be recorded.  When a CPU
 * goes offline, perf_event removes its events, and they do not come back with the CPU; a CPU
 * that comes online later has no events.  The reader of the rings is not informed.
 */
struct perf_watch {
	const struct capture_target *target;
	int *fds;		/* by CPU of the target, events that count time; NULL: none */
	bool *missed;		/* by CPU of the target: it was offline for a while */
	struct cpumap came;	/* CPUs that came online and are not in the target */
};

/*
 * Begin to watch; @target must outlive it.  @whole_cpus says that the events belong to CPUs
 * and not to tasks; each CPU then needs one descriptor.
 */
struct error *perf_watch_init(struct perf_watch *watch, const struct capture_target *target,
			      bool whole_cpus);
/* Release everything.  A struct that is all zeros is allowed. */
void perf_watch_deinit(struct perf_watch *watch);

/* Look for such CPUs while the events still exist, and warn of each once. */
void perf_watch_look(struct perf_watch *watch);

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

/*
 * Counts, for a capture through perf_event, how many samples of each event were recorded,
 * filtered by us, and lost.
 */

/* The visitor of all rings: it counts samples, and drops those that a filter of ours rejects. */
bool perf_ledger_visit(struct ring_visitor *visitor, const struct ring *ring,
		       const struct perf_event_header *header);

/*
 * After capturing has stopped: add the @nth ring's rows to the ledger, and write LOST records
 * for losses that no record in the ring reports.
 */
struct error *perf_ledger_add(struct perf_capture *c, uint32_t nth, struct record_sink *sink,
			      struct ledger *ledger);

/*
 * Counts events through perf_event without recording them.  There is one descriptor per event
 * and place, and no ring.
 */
extern const struct counting_ops perf_counting;

/*
 * Read the clock that perf_event uses for records if none was chosen and its rings do not tell it,
 * by recording one page fault of this process, together with the wall clock; both in ns.  While the
 * event is open and a second after that, switches of tasks cost more everywhere, so this is for
 * once in a recording.  Returns 0 if this process may not record itself.
 */
uint64_t perf_time_read(uint64_t *ret_realtime);

#endif
