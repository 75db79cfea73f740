/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPUs that perf_event does not record although they were to be: it takes its events away
 * from a CPU that goes offline, and does not bring them back with it; on one that comes
 * online later it has none.  Nobody tells who reads the rings.
 */
#ifndef KTRACE_CAPTURE_PERF_WATCH_H
#define KTRACE_CAPTURE_PERF_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/backend.h"

struct perf_watch {
	const struct capture_target *target;
	int *fds;		/* by CPU of the target, of events that count time; NULL: none */
	bool *missed;		/* by CPU of the target: it was offline for a while */
	struct cpumap came;	/* CPUs that came online, and are not in the target */
};

/*
 * From now on; @target must outlive it.  @whole_cpus: events belong to CPUs, not to tasks.
 * Takes one descriptor for each CPU then.
 */
struct error *perf_watch_init(struct perf_watch *watch, const struct capture_target *target,
			      bool whole_cpus);
/* Also of one that is all zeros. */
void perf_watch_deinit(struct perf_watch *watch);

/* Find out, while the events are still there, and warn of each such CPU once. */
void perf_watch_look(struct perf_watch *watch);

#endif
