/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Capture backends provide the records while a recording runs.  backends.def has a row for each:
 * perf_event, the ktrace device, and a fake one for tests of the upper layers.  Code outside of
 * this folder never depends on the backend: all differences are in struct capture_backend.
 *
 * The states of a capture are: open -> (map of ids in the event list complete) -> start -> drain
 * ... -> stop -> drain -> ledger -> close.
 */
#ifndef KTRACE_CAPTURE_BACKEND_H
#define KTRACE_CAPTURE_BACKEND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/cpumap.h"
#include "lib/error.h"
#include "record/event.h"
#include "record/ledger.h"
#include "record/record.h"

/* The CPUs and tasks to record. */
struct capture_target {
	const struct cpumap *cpus;	/* CPUs to capture on; never NULL */
	bool hotplug;			/* also CPUs that come online later, if possible */
	const pid_t *tasks;		/* thread ids; NULL: every task */
	size_t nr_tasks;
	bool inherit;			/* also the children of these tasks */
	bool per_task;			/* a ring per task instead of per CPU, if possible */
	bool on_exec;			/* starting with the next exec of tasks[0] */
	/* Members that only the device uses: */
	const char *const *comms;	/* only tasks with these names; NULL: all */
	size_t nr_comms;
	const char *cgroup;		/* only tasks in it or below it; NULL: all */
};

/* The path of an event in the module; where a template is not possible, counters are used. */
enum capture_path {
	CAPTURE_PATH_TEMPLATE,
	CAPTURE_PATH_COUNTER,
};

struct capture_config {
	struct capture_target target;
	unsigned int pages;		/* data pages per ring, a power of two; 0: default */
	int32_t clockid;		/* -1: perf's clock */
	uint64_t wakeup_bytes;		/* 0: half a ring; 1: every record */
	bool side_band;			/* also COMM, FORK, EXIT and MMAP2 records */
	bool switches;			/* with side_band: also SWITCH records */
	bool namespaces, cgroups;	/* with side_band: also NAMESPACES, CGROUP records */
	bool no_bpf;			/* with side_band: without BPF_EVENT records */
	bool build_ids;			/* with side_band: MMAP2 records have build ids */
	bool strict;			/* no other backend may replace this one */
	enum capture_path path;
	bool overwrite;			/* keep the newest records, for snapshot() and the end */
	/*
	 * For overwrite: the ledger counts overwritten samples if that is possible, and mark()
	 * knows the time, which costs more on some machines.
	 */
	bool keeps;
	bool freezable;			/* violations of machines may stop it; only by the module */
};

/* Clocks that were read at the same time, in ns; 0: not known. */
struct capture_clock {
	uint64_t trace, monotonic, raw, boottime, realtime;
};

/* The count of an event in one place. */
struct capture_count {
	bool is_counted;	/* false: it cannot be counted there, and the rest is 0 */
	uint64_t value;
	/*
	 * The time for which the event was enabled, and for which it had a counter, in ns.  If it
	 * had to share a counter, `running` is less, and the value covers only that time.
	 */
	uint64_t enabled, running;
	uint64_t id;		/* names the counter in records of counts */
};

/* The current state of a ring. */
struct capture_ring {
	uint32_t cpu;		/* UINT32_MAX: the ring of a task */
	uint64_t bytes;		/* bytes of memory that the ring takes */
	/* If it keeps the newest records; otherwise 0: */
	uint64_t size;		/* bytes of records that it can hold */
	uint64_t written;	/* bytes of records ever */
};

struct counting;

/* Counts events without recording them. */
struct counting_ops {
	/*
	 * Open every event of @events that the backend captures as a counter, stopped.  Its places
	 * are the target's tasks, each on all CPUs; without tasks they are the target's CPUs.  The
	 * attrs are those of init_attr(), and become those of counters.
	 *
	 * An optional event that this machine or kernel does not have is not counted.  An event
	 * whose PMU counts on one CPU for several has no counts on the other CPUs.  Any other event
	 * that cannot be opened is an error.  Members of a weak group that cannot be counted at the
	 * same time leave their group.  The list must not change while the counters are open, and
	 * the target must outlive them.
	 */
	struct error *(*open)(struct event_list *events, const struct capture_target *target,
			      struct counting **ret);

	/*
	 * Start or stop counting, also repeatedly; with target.on_exec the first start takes effect
	 * at the exec of tasks[0].
	 */
	struct error *(*start)(struct counting *counting);
	struct error *(*stop)(struct counting *counting);

	/*
	 * Read the count of the event in the place with this number, from 0, including the tasks
	 * that inherited it.  This may be called at any time.
	 */
	struct error *(*read)(struct counting *counting, const struct event *event, size_t place,
			      struct capture_count *ret);

	void (*close)(struct counting *counting);
};

/* Each backend's own struct begins with this one. */
struct counting {
	const struct counting_ops *ops;
};

/* The capabilities of a backend. */
enum {
	/* An event that needs a capability is captured by the next backend that has it. */
	CAPTURE_ANY_EVENT	= 1 << 0,	/* also events that are no tracepoints */
	CAPTURE_STACKS		= 1 << 1,	/* copies of user stacks */
	CAPTURE_GROUPS		= 1 << 2,	/* groups of events */
	CAPTURE_LEVELS		= 1 << 3,	/* the kernel or user space alone */
	CAPTURE_ADDRESSES	= 1 << 4,	/* addresses of data, struct sample_parts */
	CAPTURE_CGROUPS		= 1 << 5,	/* a cgroup for each event, not only one for all */
	CAPTURE_TAI		= 1 << 15,	/* timestamps by CLOCK_TAI */

	CAPTURE_COMMS		= 1 << 6,	/* target.comms; otherwise filters must do it */
	CAPTURE_FIELDS		= 1 << 7,	/* event->common: common fields in each record */
	CAPTURE_TRIGGERS	= 1 << 8,	/* event->trigger */
	CAPTURE_JUDGED		= 1 << 16,	/* event->judged */
	CAPTURE_TASK_RECORDS	= 1 << 9,	/* config->side_band */

	CAPTURE_FUNCTIONS	= 1 << 14,	/* format/function_events.h */

	/* Callers have to respect these properties. */
	CAPTURE_IN_ORDER	= 1 << 10,	/* the samples of each ring are sorted by time */
	CAPTURE_HANGS_UP	= 1 << 11,	/* its descriptors hang up when their task ends */
	CAPTURE_NOT_SELF	= 1 << 12,	/* the process that opens it is not recorded */
	CAPTURE_MADE_UP		= 1 << 13,	/* the records are artificial */
};

struct capture;
struct counts_chain;
struct counts_chains;
struct counts_entry;
struct counts_ledger;
struct event_attr_options;
struct event_spec;

struct capture_backend {
	const char *name;		/* the name for --via: "perf", "ktrace", "fake" */
	const char *title;		/* the name in messages: "ktrace module" */
	const char *remark;		/* the explanation of the name in the help: "the module" */
	/* The number of the backend in recordings, so it is never changed or reused. */
	uint32_t source;
	uint32_t can;			/* CAPTURE_* */
	bool automatic;			/* --via=auto uses it, if it is available */

	/*
	 * Returns NULL if the backend can be used on this machine, otherwise an error with the
	 * reason and the next step.
	 */
	struct error *(*available)(void);

	/* Build the attr of an event for this backend. */
	void (*init_attr)(const struct event_spec *spec, const struct event_attr_options *options,
			  struct perf_event_attr *ret);

	/*
	 * Returns an error if the backend cannot apply the event's filter; EOPNOTSUPP: another
	 * backend may be able to.  Optional: NULL.
	 */
	struct error *(*check_filter)(const struct event *event);

	/*
	 * Returns an error if the installed backend cannot store event->user_strings.  Optional:
	 * NULL if it never can.
	 */
	struct error *(*check_strings)(void);

	/*
	 * Open every event of @events that this backend captures, stopped.  Store its ids, its
	 * sample_type and the rest in the list; the ids differ from those of other backends.
	 * Unless config->strict, an event that this backend cannot capture may be left to the last
	 * backend, which is opened last.  @events and the targets of pointers in @config must
	 * outlive the capture.
	 */
	struct error *(*open)(struct event_list *events,
			      const struct capture_config *config,
			      struct capture **ret);

	struct error *(*start)(struct capture *capture);

	/* When it returns, no new record can appear. */
	struct error *(*stop)(struct capture *capture);

	/*
	 * Between start() and stop(), stop samples temporarily, or continue.  Records of tasks and
	 * maps continue in any case.
	 */
	struct error *(*pause)(struct capture *capture, bool paused);

	/*
	 * Between start() and stop(), disable an event, or enable one that is held (event->held).
	 * If a tracepoint and the event that it replaces are both enabled for a while, each firing
	 * gives one record, of the tracepoint.  Optional: NULL if no event can be held.
	 */
	struct error *(*hold)(struct capture *capture, struct event *event, bool held);

	/*
	 * Store at most @max descriptors for poll().  Readable means that a ring should be read, a
	 * hangup that the task of a descriptor has ended, POLLPRI that a trigger event has fired.
	 * Returns the number of descriptors.
	 */
	size_t (*poll_fds)(struct capture *capture, int *fds, size_t max);

	/* Describe at most @max rings.  Returns the number of rings.  Optional: NULL. */
	size_t (*rings)(struct capture *capture, struct capture_ring *rings, size_t max);

	/*
	 * Every record with a time before *ret is visible to a drain() after this call (ns of the
	 * recording's clock; 0: unknown).  This may take tens of ms and may be called from another
	 * thread.  Optional: NULL.
	 */
	struct error *(*mark)(struct capture *capture, uint64_t *ret);

	/* Pass every whole record that is now visible to @sink, ring by ring. */
	struct error *(*drain)(struct capture *capture, struct record_sink *sink);

	/*
	 * After stop() and the last drain(), write the losses that the rings had no room to report
	 * to @sink, and the sums to @ledger.  For intermediate sums, it may be called before, with
	 * a @sink that drops everything.  Then `recorded` includes records that drain() has not
	 * given yet.
	 */
	struct error *(*ledger)(struct capture *capture, struct record_sink *sink,
				struct ledger *ledger);

	/*
	 * For config->overwrite, where drain() gives samples only of events with event->judged:
	 * write the newest samples, which the rings hold, to @sink, and the sums until then to
	 * @ledger.  This may be called at any time; after stop() it replaces ledger().  The device
	 * continues to capture meanwhile; perf_event does not, and counts the losses.  Optional:
	 * NULL.
	 */
	struct error *(*snapshot)(struct capture *capture, struct record_sink *sink,
				  struct ledger *ledger);

	/* Read the recording's clock together with the other clocks.  Optional: NULL. */
	struct error *(*clock)(struct capture *capture, struct capture_clock *ret);

	/*
	 * Store a description of the recording with the rings (perfdata's writer_describe()), for
	 * readers that find them without this process.  Optional: NULL.
	 */
	struct error *(*describe)(struct capture *capture, const void *data, size_t size);

	/*
	 * Have the recording, which was described, continue under this name when the process ends
	 * (capture/ktrace/kept.h).  NULL: cancel this.  Optional: NULL if the recording ends with
	 * the process.
	 */
	struct error *(*keep)(struct capture *capture, const char *name);

	/*
	 * The number of recorded samples, and of this process's own samples.  Optional: NULL if
	 * this process is not recorded.
	 */
	void (*own_work)(struct capture *capture, uint64_t *ret_own, uint64_t *ret_all);

	/*
	 * The path of an event ("counter"), as text for record's summary; static.  Optional: NULL
	 * if there is only one, which the title names.
	 */
	const char *(*path)(struct capture *capture, const struct event *event);

	/*
	 * The reason why an event is not captured by the requested path, or NULL; static.
	 * Optional: NULL.
	 */
	const char *(*fallback)(struct capture *capture, const struct event *event);

	void (*close)(struct capture *capture);

	/*
	 * Pass the counts of an event with event->count, which records nothing, to @fn
	 * (capture/counts.h).  Optional: NULL if it cannot count by keys.
	 */
	struct error *(*read_counts)(struct capture *capture, const struct event *event,
				     struct error *(*fn)(void *data,
							 const struct counts_entry *entry),
				     void *data);
	struct error *(*read_counts_ledger)(struct capture *capture, const struct event *event,
					    struct counts_ledger *ret);
	/* The call chains of its keys, if they have some. */
	struct error *(*read_chains)(struct capture *capture, const struct event *event,
				     struct counts_chains *chains,
				     struct error *(*fn)(void *data,
							 const struct counts_chain *chain),
				     void *data);

	/* Optional: NULL if it cannot count without recording. */
	const struct counting_ops *counting;
};

/* Each backend's own struct begins with this one. */
struct capture {
	const struct capture_backend *backend;
};

#define CAPTURE_BACKEND(name) extern const struct capture_backend backend_##name;
#include "capture/backends.def"
#undef CAPTURE_BACKEND

enum {
#define CAPTURE_BACKEND(name) CAPTURE_BACKEND_##name,
#include "capture/backends.def"
#undef CAPTURE_BACKEND
	CAPTURE_NR_BACKENDS
};

/* All backends, in the order of their rows, which backends.def explains; ended by NULL. */
extern const struct capture_backend *const capture_backends[];

/* Returns the backend with this name, or NULL. */
const struct capture_backend *capture_backend_find(const char *name);

/* Returns the backend that captures an event; NULL: it is unknown to this version of ktrace. */
const struct capture_backend *capture_backend_of(const struct event *event);

/* Whether this backend captures the event. */
static inline bool capture_backend_has(const struct capture_backend *backend,
				       const struct event *event)
{
	return event->source == backend->source;
}

/* Assign the event to this backend. */
static inline void capture_backend_take(const struct capture_backend *backend, struct event *event)
{
	event->source = backend->source;
	event->in_order = backend->can & CAPTURE_IN_ORDER;
}

#endif
