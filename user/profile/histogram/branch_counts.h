/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counts of branches that pass through a node of a graph of chains, where the node is their
 * beginning or their end.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_BRANCH_COUNTS_H
#define KTRACE_PROFILE_HISTOGRAM_BRANCH_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "session/branch_history.h"

/* Initialize it to zeros: no branches. */
struct branch_counts {
	uint64_t branches;
	/* Of branches that end here. */
	uint64_t predicted, aborts;
	uint32_t types, new_types;	/* bit n: some have PERF_BR_* or PERF_BR_NEW_* n */
	bool forward, backward;		/* conditional ones, by direction */
	bool far, near;			/* to another 2 MiB, or else to another 4 KiB */
	bool is_target;			/* the newest one ended here */
	/* Of branches that begin here. */
	uint64_t cycles, begun;
	uint64_t loops, loop_cycles;	/* repetitions that were left out before them */
};

void branch_counts_add_step(struct branch_counts *counts, const struct branch_step *step);

/* Add the counts of more branches of the same node. */
void branch_counts_add(struct branch_counts *sum, const struct branch_counts *counts);

#endif
