/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many tasks ran at the time of each sample, by the records of switches.  A second of one task
 * alone takes as long as one of eight tasks at once, so that what ran alone decides how long all
 * takes.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_PARALLELISM_H
#define KTRACE_PROFILE_HISTOGRAM_PARALLELISM_H

#include "lib/error.h"
#include "session/session.h"

/* Begin with zeroes. */
struct parallelism {
	struct {
		int32_t *items;		/* tids of tasks that run; few, as there are few CPUs */
		size_t nr, alloc;
	} running;
};

/* Take a record that is no sample. */
struct error *parallelism_other(struct parallelism *p, const struct session_record *r);

/*
 * Set *@ret to how many tasks run at a sample, at least 1: its own task runs, whatever records say,
 * unless it is the idle task.
 */
struct error *parallelism_of(struct parallelism *p, const struct session_record *r,
			     unsigned int *ret);

void parallelism_deinit(struct parallelism *p);

#endif
