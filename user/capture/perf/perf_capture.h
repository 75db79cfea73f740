/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of a capture through perf_event, and their shared state.
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
#include "lib/array.h"
#include "spec/filter_expr.h"

/*
 * Follows CPUs that come online while whole CPUs are recorded: the event that reports tasks is
 * opened again on them, with a ring of its own.  Samples of perf_event on such a CPU are lost, but
 * the records of the device need the tasks on it.
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
	ARRAY_OF(struct hotplug_ring) rings;
};

/*
 * Begin to follow CPUs; @event and @target must outlive it.  It is no error if the kernel's
 * messages about CPUs cannot be received; then no CPU is followed.
 */
void perf_hotplug_init(struct perf_hotplug *hotplug, const struct event *event,
		       const struct capture_target *target, unsigned int pages);
/* Release all resources.  A struct that is all zeros is allowed. */
void perf_hotplug_deinit(struct perf_hotplug *hotplug);

/* Open the event on CPUs that have come online, and pass on its records from there. */
struct error *perf_hotplug_drain(struct perf_hotplug *hotplug, struct record_sink *sink);

/* Stop the events, so that nothing new is written. */
void perf_hotplug_stop(struct perf_hotplug *hotplug);

/*
 * Detects CPUs that perf_event fails to record.  When a CPU goes offline, perf_event removes its
 * events, and they do not come back with the CPU.  A CPU that comes online later has no events.
 * The reader of the rings is not informed.
 */
struct perf_watch {
	const struct capture_target *target;
	int *fds;		/* by CPU of the target, events that count time; NULL: none */
	bool *missed;		/* by CPU of the target: it was offline for a while */
	struct cpumap came;	/* CPUs that came online and are not in the target */
};

/*
 * Begin to watch; @target must outlive it.  @whole_cpus: the events belong to CPUs and not to
 * tasks; each CPU then needs one descriptor.
 */
struct error *perf_watch_init(struct perf_watch *watch, const struct capture_target *target,
			      bool whole_cpus);
/* Release all resources.  A struct that is all zeros is allowed. */
void perf_watch_deinit(struct perf_watch *watch);

/* Find such CPUs while the events still exist, and warn about each once. */
void perf_watch_look(struct perf_watch *watch);

struct perf_fd {
	int fd;			/* -1: the task has ended */
	uint32_t event;		/* index in the event list */
	uint32_t ring;
	uint64_t id;
};

/* The fate of an event's samples in one ring. */
struct perf_tally {
	uint64_t recorded, filtered;	/* filtered: by us, while draining */
	uint64_t replaced;	/* firings whose record of this event follows and is dropped */
};

struct perf_capture {
	struct capture base;
	struct ring_visitor visitor;
	struct event_list *events;
	const struct capture_target *target;
	const pid_t *tasks;	/* tasks with events; NULL: whole CPUs */
	size_t nr_tasks;
	int32_t clockid;
	bool timed;		/* perf's clock was read by perf_time_read() */
	bool per_task;		/* a ring belongs to a task on any CPU, not to a CPU */
	size_t nr_places;	/* CPUs, or tasks, that have a ring */
	size_t per_event;	/* descriptors of an event: CPUs x tasks, or tasks */
	pid_t own_pid;
	uint64_t recorded, own;	/* number of samples; of this process's own ones */
	bool told_filter;	/* the notice that we apply a filter was printed */
	bool stopped, paused;
	bool keeps;	/* as in struct capture_config */
	ARRAY_OF(struct perf_fd) fds;
	struct perf_ring *rings;	/* one per place, then the overwritten ones */
	size_t nr_rings;
	unsigned int stack_pages;	/* of each ring, if stacks are copied; 0: as others */
	struct perf_hotplug hotplug;
	struct perf_watch watch;
	const struct filter_node **filters; /* by event: filters that the kernel cannot run */
	struct perf_tally *tallies;	/* by [event][ring]; allocated by start() */
	size_t nr_events;		/* number of events with tallies */

	/* If whole CPUs report the tasks, and we select the records of a command: */
	bool sorts_tasks;
	struct task_records task_records;
	uint64_t mark;		/* all records before it are in the rings; mark() sets it */
	uint64_t given;		/* records up to this mark were given */
};

/*
 * Counts, for a capture through perf_event, how many samples of each event were recorded, filtered
 * by us, and lost.
 */

/* The visitor of all rings: it counts samples, and drops samples that a filter of ours rejects. */
bool perf_ledger_visit(struct ring_visitor *visitor, const struct ring *ring,
		       const struct perf_event_header *header);

/*
 * After capturing has stopped: add the rows of ring @nth to the ledger, and write LOST records for
 * losses that no record in the ring reports.
 */
struct error *perf_ledger_add(struct perf_capture *c, uint32_t nth, struct record_sink *sink,
			      struct ledger *ledger);

/*
 * Counts events through perf_event without recording them.  There is one descriptor per event and
 * place, and no ring.
 */
extern const struct counting_ops perf_counting;

/*
 * Read perf_event's default clock for records, if its rings do not provide it, together with the
 * wall clock; both in ns.  It records one page fault of this process.  While its event is open and
 * for a second after that, context switches cost more everywhere, so call it once per recording.
 * Returns 0 if this process may not record itself.
 */
uint64_t perf_time_read(uint64_t *ret_realtime);

#endif
