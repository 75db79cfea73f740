/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the branches of a sample as the steps that led to it, the newest first: the end of a
 * branch, then its beginning.
 */
#ifndef KTRACE_SESSION_BRANCH_HISTORY_H
#define KTRACE_SESSION_BRANCH_HISTORY_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/callchain.h"

/* perf's limit: stacks with more branches are damaged. */
#define BRANCH_HISTORY_DEPTH	127

struct branch_step {
	uint64_t ip;
	uint64_t from;			/* end: where the branch began; beginning: 0 */
	struct perf_branch_entry flags;	/* of the branch */
	bool is_target;			/* the branch ended here */
	uint64_t loops, loop_cycles;	/* beginning: repetitions that were left out */
};

struct branch_history {
	struct branch_step steps[2 * BRANCH_HISTORY_DEPTH];
	size_t nr;
	size_t overlap;		/* innermost frames of the chain that are among the steps */
};

/*
 * Read the steps of at most @depth branches.  As in perf, repetitions of a loop are left out.  If
 * the branches are the call chain itself (--call-graph lbr), which is in @frames, there are no
 * steps.
 */
void branch_history_read(const struct session_record *r, const struct callchain *frames,
			 size_t depth, struct branch_history *ret);

#endif
