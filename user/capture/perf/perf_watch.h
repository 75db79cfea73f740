/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notices CPUs that perf_event does not record although they should be recorded.  When a CPU
 * goes offline, perf_event removes its events, and they do not come back with the CPU; a CPU
 * that comes online later has no events.  The reader of the rings is not informed.
 */
#ifndef KTRACE_CAPTURE_PERF_PERF_WATCH_H
#define KTRACE_CAPTURE_PERF_PERF_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/backend.h"

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

#endif
