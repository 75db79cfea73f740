/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Capture backends: who gives the records while a recording runs.  One row
 * each for perf_event, the ktrace device and the fake one that upper layers
 * are tested with; nobody above this folder asks which it is.
 *
 * A capture goes through open -> (map of ids in the event list complete) ->
 * start -> drain ... -> stop -> drain -> ledger -> close.
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

/* Whom to record. */
struct capture_target {
	const struct cpumap *cpus;	/* CPUs to capture on; never NULL */
	bool hotplug;			/* and those that come online later, where that can be */
	const pid_t *tasks;		/* thread ids; NULL: every task */
	size_t nr_tasks;
	bool inherit;			/* and what they fork */
	bool on_exec;			/* from the next exec of tasks[0] on */
	/* For the device alone: */
	const char *const *comms;	/* only tasks of these names; NULL: of any */
	size_t nr_comms;
	const char *cgroup;		/* only tasks in it or below; NULL: in any */
};

/* How the module gets at an event; where that is impossible, by counters. */
enum capture_path {
	CAPTURE_PATH_TEMPLATE,
	CAPTURE_PATH_COUNTER,
};

struct capture_config {
	struct capture_target target;
	unsigned int pages;		/* data pages per ring, a power of two; 0: default */
	int32_t clockid;		/* -1: perf's clock */
	uint64_t wakeup_bytes;		/* 0: half a ring */
	bool side_band;			/* also COMM, FORK, EXIT and MMAP2 records */
	bool switches;			/* with side_band: also SWITCH records */
	bool strict;			/* no other backend may take what this one cannot */
	enum capture_path path;
	bool overwrite;			/* keep the newest records, for snapshot() and the end */
};

/* Clocks read together, ns each; 0: not known. */
struct capture_clock {
	uint64_t trace, monotonic, raw, boottime, realtime;
};

struct capture;

struct capture_backend {
	const char *name;		/* "perf", "ktrace", "fake" */
	enum event_source source;	/* the events of a list it opens */

	/* NULL: it can be used here and now.  Otherwise why not, and what to do. */
	struct error *(*available)(void);

	/*
	 * Open every event of @events whose source is this backend's, stopped,
	 * and put its ids, sample_type and the rest into the list.  Unless
	 * config->strict, an event it cannot capture may be left to perf, by its
	 * source: perf is opened last.  @events and what @config points to must
	 * outlive the capture.
	 */
	struct error *(*open)(struct event_list *events,
			      const struct capture_config *config,
			      struct capture **ret);

	struct error *(*start)(struct capture *capture);

	/* When it returns, no new record can appear. */
	struct error *(*stop)(struct capture *capture);

	/*
	 * Descriptors that poll() as readable when a ring wants reading, and
	 * hang up when their task has ended; POLLPRI: a trigger event has come.
	 * Returns how many there are and
	 * stores at most @max of them.
	 */
	size_t (*poll_fds)(struct capture *capture, int *fds, size_t max);

	/*
	 * Every record with a time before *ret is visible to a drain() after
	 * this call (ns of the recording's clock; 0: it cannot tell).  May take
	 * tens of ms and be called from another thread.  Optional: NULL.
	 */
	struct error *(*mark)(struct capture *capture, uint64_t *ret);

	/* Hand every whole record that is now visible to @sink, ring by ring. */
	struct error *(*drain)(struct capture *capture, struct record_sink *sink);

	/*
	 * After stop() and the last drain(): write what the rings could not
	 * hold any more (losses at the end) to @sink and the sums to @ledger.
	 */
	struct error *(*ledger)(struct capture *capture, struct record_sink *sink,
				struct ledger *ledger);

	/*
	 * With config->overwrite, which keeps samples from drain(): hand the newest
	 * ones, which the rings hold, to @sink and the sums of all until then to
	 * @ledger.  At any time; after stop() it takes the place of ledger().  The
	 * device captures on meanwhile; perf_event does not, and counts what that
	 * loses.  Optional: NULL.
	 */
	struct error *(*snapshot)(struct capture *capture, struct record_sink *sink,
				  struct ledger *ledger);

	/* The recording's clock beside the others.  Optional: NULL. */
	struct error *(*clock)(struct capture *capture, struct capture_clock *ret);

	/*
	 * Samples recorded so far, and how many of them are of what this process did.
	 * Optional: NULL where the own process is left out.
	 */
	void (*own_work)(struct capture *capture, uint64_t *ret_own, uint64_t *ret_all);

	/* One line for record's summary: the path of an event ("counter"); static. */
	const char *(*path)(struct capture *capture, const struct event *event);

	/* Why an event is not captured by the path asked for, or NULL; static.  Optional. */
	const char *(*fallback)(struct capture *capture, const struct event *event);

	void (*close)(struct capture *capture);
};

/* What each backend's own struct begins with. */
struct capture {
	const struct capture_backend *backend;
};

extern const struct capture_backend backend_perf;
extern const struct capture_backend backend_ktrace;
extern const struct capture_backend backend_fake;

/* All of them, ended by NULL. */
extern const struct capture_backend *const capture_backends[];

#endif
