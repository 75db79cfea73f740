/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time of threads, attributed to the functions of the program: the samples of
 * states/wall_time.h, summed up by kind (running, waiting for a lock ...) and by the innermost
 * function that is the program's own (own_code.h).
 */
#ifndef KTRACE_PROFILE_WALL_COSTS_H
#define KTRACE_PROFILE_WALL_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls/call_tree.h"
#include "lib/cleanup.h"
#include "session/session.h"

enum wall_kind {
#define WALL_KIND(name, text, waits, command)	WALL_##name,
#define WALL_SIGN(side, name, kind)
#include "profile/wall_costs.def"
#undef WALL_KIND
#undef WALL_SIGN
	WALL_KINDS
};

/* Names live as long as the machine of the call tree. */
struct wall_cost {
	enum wall_kind kind;
	const char *function;	/* the program's own; NULL: it has no name, or there is none */
	const char *binary;	/* of the function; NULL: the chain has none, or needs none */
	const char *through;	/* the function of another binary that it called most; NULL: none */
	uint64_t through_ns;	/* in it */
	uint64_t ns, samples;
	/*
	 * For RUNNING: half of the 95 % confidence interval, because the function is known only
	 * from samples; 0: the scheduler's events give the exact time.
	 */
	uint64_t error_ns;
};

struct wall_summary {
	const struct wall_cost *items;	/* the largest first */
	size_t nr;
	uint64_t all_ns;
};

struct wall_costs;

struct error *wall_costs_create(struct wall_costs **ret);
void wall_costs_destroy(struct wall_costs *costs);

/*
 * Count a sample with a task_state, of @node of a call tree.  The only possible error is no memory.
 */
struct error *wall_costs_add(struct wall_costs *costs, const struct session_record *r,
			     uint32_t node);

/* Sum up all samples; call it once.  @tree has the nodes.  *ret is valid as long as @costs. */
struct error *wall_costs_settle(struct wall_costs *costs, const struct call_tree *tree,
				struct wall_summary *ret);

/* The text of a kind, and the command that shows details. */
const char *wall_kind_text(enum wall_kind kind);
const char *wall_kind_command(enum wall_kind kind);

/* Whether a thread has nothing to do, because its program waits on purpose. */
bool wall_kind_waits(enum wall_kind kind);

#endif
