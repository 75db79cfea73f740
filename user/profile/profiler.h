/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of a profiler share: profile.c takes samples, profile_functions.c names places,
 * profile_tree.c makes the tree of what is large enough, profile_points.c and profile_cells.c
 * have the samples as points and as cells,
 * profile_states.c what the scheduler's events tell, profile_stays.c the states of tasks, and
 * profile_rows.c single events.
 */
#ifndef KTRACE_PROFILE_PROFILER_H
#define KTRACE_PROFILE_PROFILER_H

#include "calls/call_tree.h"
#include "calls/chain_nodes.h"
#include "lib/hash_table.h"
#include "profile/profile.h"
#include "states/sched_event.h"
#include "states/task_states.h"

struct profiler_sample {
	uint64_t time, period;
	uint32_t node;		/* of the call tree, then of the profile */
	uint32_t lane;
};

/* Where a task of the scheduler was when it stopped running. */
struct profiler_sleeper {
	uint32_t node, task;
	int32_t cpu;
	bool named;		/* task is known */
	bool sleeps;		/* it has not run since */
};

/* The stays of a task of the scheduler. */
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
	uint64_t seen, step;	/* samples of it, and that each step-th of them is a row */
	size_t bytes;		/* roughly what the rows take in a page */
};

/* Events of lanes until profiler_settle_states() gives them an index. */
#define PROFILE_EVENT_BLOCKED	(UINT32_MAX - 1)
#define PROFILE_EVENT_RUNNABLE	(UINT32_MAX - 2)

struct profiler {
	struct session_consumer consumer;
	struct profile_options options;
	struct profile profile;
	struct call_tree *tree;
	struct chain_nodes *chain_nodes;
	uint32_t root;
	struct {
		struct profiler_sample *items;
		size_t nr, alloc;
	} samples;
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
	struct {
		uint64_t *items;	/* when the last wait ended, by task of the profile */
		size_t nr, alloc;
	} wait_ends;
	struct processes *processes;		/* the session's; NULL: no event of the scheduler */
	struct profiler_sleeper current;	/* of the sample that is taken */
	struct {
		struct profiler_sleeper *items;	/* by index of the scheduler's task */
		size_t nr, alloc;
	} sleepers;
	struct {
		struct profiler_stays *items;	/* likewise */
		size_t nr, alloc;
	} stays;
	struct {
		struct profiler_rows *items;	/* by index of the event list */
		size_t nr, alloc;
	} rows;
	size_t nr_rows, row_bytes;		/* of all events */
	unsigned int row_doublings;		/* of their limits, as there are so many events */
	size_t nr_stays;			/* of all tasks */
	struct profile_event waits[2];		/* blocked, runnable */
	struct {
		char **items;			/* names that were made here; owned */
		size_t nr, alloc;
	} texts;
};

/* Find or add the lane like @key. */
struct error *profiler_find_lane(struct profiler *profiler, const struct profile_lane *key,
				 uint32_t *ret);

/* Take in a sample, which was added before, if it is of the scheduler. */
struct error *profiler_take_states(struct profiler *profiler, const struct session_record *r,
				   const struct profiler_sample *sample);

/* Take what has not ended at the end of the session. */
struct error *profiler_finish_states(struct profiler *profiler);

/* Bring runs and wakes into their order and size, and make the events of waiting. */
struct error *profiler_settle_states(struct profiler *profiler);
void profiler_deinit_states(struct profiler *profiler);

/* Keep that @task was in its state up to @until; bring all of them into their number. */
struct error *profiler_add_stay(struct profiler *profiler, const struct sched_task *task,
				uint64_t until);
struct error *profiler_settle_stays(struct profiler *profiler);
void profiler_deinit_stays(struct profiler *profiler);

/* Keep the sample that was added last as a row; have rows in their order, with their nodes. */
struct error *profiler_add_row(struct profiler *profiler, const struct session_record *r);
struct error *profiler_settle_rows(struct profiler *profiler);
void profiler_deinit_rows(struct profiler *profiler);

/* Find or add the functions of the places of all nodes.  *ret is by node, for free(). */
struct error *profiler_find_functions(struct profiler *profiler, uint32_t **ret);

/* Make the tree, and give the samples its nodes.  @functions is by node of the call tree. */
struct error *profiler_make_tree(struct profiler *profiler, const uint32_t *functions);

/* Make the cells of the samples, whose nodes are those of the profile, and sort out their times. */
struct error *profiler_make_cells(struct profiler *profiler);

/* Have the samples as points, if they are wanted and few enough; before cells are made of them. */
struct error *profiler_make_points(struct profiler *profiler);

#endif
