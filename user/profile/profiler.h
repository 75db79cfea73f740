/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of a profiler: profile.c takes samples, profile_functions.c names locations,
 * profile_tree.c builds the tree of large nodes, profile_points.c and profile_cells.c convert the
 * samples to points and to cells, profile_states.c processes the scheduler's events,
 * profile_stays.c the states of tasks, and profile_rows.c single events.
 */
#ifndef KTRACE_PROFILE_PROFILER_H
#define KTRACE_PROFILE_PROFILER_H

#include "calls/call_tree.h"
#include "calls/chain_nodes.h"
#include "lib/array.h"
#include "lib/hash_table.h"
#include "profile/profile.h"
#include "states/sched_event.h"
#include "states/task_states.h"

struct profiler_sample {
	uint64_t time, period;
	uint32_t node;		/* of the call tree, then of the profile */
	uint32_t lane;
};

/* The location of a scheduler's task when it stopped running. */
struct profiler_sleeper {
	uint32_t node, task;
	int32_t cpu;
	bool named;		/* task is valid */
	bool sleeps;		/* it has not run since */
};

/* The state intervals of a scheduler's task. */
struct profiler_stays {
	struct profile_stay *items;
	size_t nr, alloc;
};

struct profiler_row {
	size_t sample;		/* position in samples */
	char *text;		/* owned */
};

/* The rows of an event. */
struct profiler_rows {
	struct profiler_row *items;
	size_t nr, alloc;
	uint64_t seen, step;	/* number of its samples; each step-th of them is a row */
	size_t bytes;		/* approximate size of the rows in a page */
};

/* The events of lanes until profiler_settle_states() assigns an index. */
#define PROFILE_EVENT_BLOCKED	(UINT32_MAX - 1)
#define PROFILE_EVENT_RUNNABLE	(UINT32_MAX - 2)

struct profiler {
	struct session_consumer consumer;
	struct profile_options options;
	struct profile profile;
	struct call_tree *tree;
	struct chain_nodes *chain_nodes;
	uint32_t root;
	ARRAY_OF(struct profiler_sample) samples;
	struct hash_table task_table;		/* positions in profile.tasks */
	struct hash_table lane_table;		/* positions in profile.lanes */
	uint32_t last_lane;
	size_t nr_events;			/* of the recording */
	size_t timed_event;			/* index + 1 of wall time; 0: there is none */
	struct sched_events sched_events;
	struct task_states states;
	struct task_listener listener;
	struct {
		/* By node of the call tree: the number of its chain's end + 1; 0: unknown. */
		uint32_t *items;
		size_t nr, alloc;
	} node_ends;
	struct wall_costs *wall_costs;		/* NULL: no sample had a state */
	ARRAY_OF(uint64_t) wait_ends;	/* end of the last wait, by task of the profile */
	struct processes *processes;		/* the session's; NULL: no event of the scheduler */
	struct profiler_sleeper current;	/* of the current sample */
	ARRAY_OF(struct profiler_sleeper) sleepers;	/* by index of the scheduler's task */
	ARRAY_OF(struct profiler_stays) stays;	/* likewise */
	ARRAY_OF(struct profiler_rows) rows;	/* by index of the event list */
	size_t nr_rows, row_bytes;		/* of all events */
	unsigned int row_doublings;		/* of their limits, for many events */
	size_t nr_stays;			/* of all tasks */
	struct profile_event waits[2];		/* blocked, runnable */
	ARRAY_OF(char *) texts;			/* generated names; owned */
};

/* Find or add the lane equal to @key. */
struct error *profiler_find_lane(struct profiler *profiler, const struct profile_lane *key,
				 uint32_t *ret);

/* Process a sample of the scheduler's events, which was added before; others are ignored. */
struct error *profiler_take_states(struct profiler *profiler, const struct session_record *r,
				   const struct profiler_sample *sample);

/* Finish the open intervals at the end of the session. */
struct error *profiler_finish_states(struct profiler *profiler);

/* Sort and limit runs and wakes, and create the events of waiting. */
struct error *profiler_settle_states(struct profiler *profiler);
void profiler_deinit_states(struct profiler *profiler);

/* Add the interval of @task in its state up to @until; limit the number of intervals. */
struct error *profiler_add_stay(struct profiler *profiler, const struct sched_task *task,
				uint64_t until);
struct error *profiler_settle_stays(struct profiler *profiler);
void profiler_deinit_stays(struct profiler *profiler);

/* Keep the last sample as a row; sort the rows, and set their nodes. */
struct error *profiler_add_row(struct profiler *profiler, const struct session_record *r);
struct error *profiler_settle_rows(struct profiler *profiler);
void profiler_deinit_rows(struct profiler *profiler);

/* Find or add the functions of the places of all nodes.  *ret is indexed by node; free() it. */
struct error *profiler_find_functions(struct profiler *profiler, uint32_t **ret);

/* Build the tree, and convert the samples to its nodes.  @functions is by node of the call tree. */
struct error *profiler_make_tree(struct profiler *profiler, const uint32_t *functions);

/* Build the cells of the samples, which have nodes of the profile, and set the range of time. */
struct error *profiler_make_cells(struct profiler *profiler);

/*
 * Build the points of samples, if requested and not too many; call it before the cells are built.
 */
struct error *profiler_make_points(struct profiler *profiler);

#endif
