/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The number of running tasks at the time of each sample, from the records of switches.  A second
 * of one task alone takes as long as one of eight parallel tasks, so tasks that run alone determine
 * the total time.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_PARALLELISM_H
#define KTRACE_PROFILE_HISTOGRAM_PARALLELISM_H

#include "lib/error.h"
#include "session/session.h"

/* Initialize it to zeros. */
struct parallelism {
	struct {
		int32_t *items;		/* tids of running tasks; few, as there are few CPUs */
		size_t nr, alloc;
	} running;
};

/* Process a record that is no sample. */
struct error *parallelism_other(struct parallelism *p, const struct session_record *r);

/*
 * Set *@ret to the number of running tasks at a sample, at least 1: its own task runs, even if
 * records do not show it, unless it is the idle task.
 */
struct error *parallelism_of(struct parallelism *p, const struct session_record *r,
			     unsigned int *ret);

void parallelism_deinit(struct parallelism *p);

#endif
