/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording as pictures show it: which functions ran in which threads on which CPUs, and when.
 * All samples are in cells: of a lane, which is an event, a thread and a CPU; of a stretch of
 * time; and of a node in a tree of functions.  Nodes that are too small to be seen are one child
 * of their parent, so that a recording of any size makes a profile of a limited size in which
 * no sample is missing.
 */
#ifndef KTRACE_PROFILE_PROFILE_H
#define KTRACE_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls/chain_end.h"
#include "lib/cleanup.h"
#include "profile/wall_costs.h"
#include "session/session.h"

enum profile_kind {
	PROFILE_USER = 0,
	PROFILE_KERNEL,
	PROFILE_INLINED,
	PROFILE_UNKNOWN,	/* of a binary, whatever has no symbol; its name is in brackets */
	PROFILE_ALL,		/* of the first node, which has all others below it; no name */
	PROFILE_REST,		/* of a node, all children that are too small; it has no name */
};

struct profile_function {
	const char *name, *binary;	/* may be anything that a recording contains */
	enum profile_kind kind;
	bool own;		/* of the program, not of a library: own_code.h */
};

/* Nodes come in the order of a walk: behind each node are all below it. */
struct profile_node {
	uint32_t depth;		/* 0: the first one alone */
	uint32_t function;
};

struct profile_task {
	int32_t pid, tid;
	int32_t parent;		/* the process that forked its process; -1: not known */
	char *comm;
};

struct profile_lane {
	uint32_t event;		/* index in the event list */
	uint32_t task;
	int32_t cpu;		/* -1: not recorded */
	size_t cells, points;	/* number of them */
};

struct profile_cell {
	uint32_t stretch, node;
	uint64_t samples, period;	/* samples 0: only a part of the time of one before */
};

/* A sample, in few bytes. */
struct profile_point {
	uint64_t time, period;
	uint32_t node;
};

struct profile_event {
	uint64_t samples, period;
	uint64_t each;		/* the period that all cells have for each sample; 0: they differ */
	uint64_t step;		/* each so many-th sample is a row; 0: none is */
	bool timed;		/* a sample stands for the time from its own on, for its period */
};

/* Samples that the recorder lost, as LOST records tell. */
struct profile_loss {
	uint64_t time, lost;	/* time 0: not recorded */
};

/* A single sample. */
struct profile_row {
	uint64_t time;
	uint32_t lane, node;
	const char *text;	/* of its fields, as script prints them; "": it has none */
};

/* A task ran on a CPU. */
struct profile_run {
	uint64_t since, until;	/* ns */
	uint32_t task;		/* or PROFILE_SEVERAL */
	int32_t cpu;
};

/* Runs that are too short to be told apart are one, of several tasks. */
#define PROFILE_SEVERAL	UINT32_MAX

/* A CPU lost records, so it is unknown who ran. */
struct profile_unknown {
	uint64_t since, until;	/* ns */
	int32_t cpu;		/* -1: any */
};

/* A task was woken, and ran later. */
struct profile_wake {
	uint64_t woken, runs;	/* ns */
	int32_t waker;		/* tid; 0: an interrupt on an idle CPU; -1: unknown */
	uint32_t task;
};

enum profile_state {
	PROFILE_RUNNING = 0,
	PROFILE_RUNNABLE,	/* waiting for a CPU */
	PROFILE_BLOCKED,
	PROFILE_STATES
};

/* A task was in a state; or in several, if these were too short to be told apart. */
struct profile_stay {
	uint64_t since, until;		/* ns */
	uint64_t in[PROFILE_STATES];	/* ns; the rest is unknown */
	int32_t cpu;			/* that it ran on; -1: none, or unknown */
	bool at_least;			/* only its end told of the state */
};

/* All stays of a task, in time order. */
struct profile_states {
	uint32_t task;
	const struct profile_stay *stays;
	size_t nr;
};

/* All arrays belong to the profile; they are complete after profile_settle(). */
struct profile {
	struct {
		struct profile_function *items;
		size_t nr, alloc;
	} functions;
	struct {
		struct profile_node *items;
		size_t nr, alloc;
	} nodes;
	struct {
		struct profile_task *items;
		size_t nr, alloc;
	} tasks;
	struct {
		struct profile_lane *items;
		size_t nr, alloc;
	} lanes;
	struct {
		struct profile_cell *items;	/* by lane, then by stretch, then by node */
		size_t nr, alloc;
	} cells;
	struct {
		struct profile_point *items;	/* by lane, then by time; none: too many */
		size_t nr;
	} points;
	struct {
		struct profile_event *items;	/* by index of the event list */
		size_t nr, alloc;
	} events;
	struct {
		struct profile_loss *items;
		size_t nr, alloc;
	} losses;
	struct {
		struct profile_run *items;	/* by CPU, then by time */
		size_t nr, alloc;
	} runs;
	struct {
		struct profile_unknown *items;	/* the longest ones if there are very many */
		size_t nr, alloc;
	} unknown;
	struct {
		struct profile_wake *items;	/* those that waited longest come first */
		size_t nr, alloc;
	} wakes;
	struct {
		struct profile_row *items;	/* by time */
		size_t nr, alloc;
	} rows;
	struct {
		struct profile_states *items;
		size_t nr, alloc;
	} states;
	uint64_t joined_stays;		/* stays that were shorter may be joined, ns; 0: none is */
	uint64_t joined;		/* runs that were shorter may be joined, ns; 0: none is */
	/*
	 * Two events that the recording does not have, whose periods are ns: waits is the index
	 * of the time for which tasks were blocked, the next one that of the time for which they
	 * waited for a CPU, each in the functions in which they stopped running.  SIZE_MAX: none.
	 */
	size_t waits;
	uint64_t start, end;		/* of the samples, ns; end is not part of it */
	uint64_t width;			/* of a stretch, ns */
	uint32_t stretches;
	uint64_t samples, lost;		/* lost: the sum of losses */
	struct chain_ends ends;		/* of samples; periods are their numbers */
	struct wall_summary wall;	/* of states/wall_time.h; nr 0: the samples are others */
	double smallest;		/* share of an event below which nodes are too small */
};

/* How large a profile may become.  0: the defaults. */
struct profile_limits {
	size_t nodes, cells, points;
	uint32_t stretches;
	/*
	 * With very many samples, up to @fine times as many stretches (1; with points, 64), as
	 * long as that makes at most @fine_cells.
	 */
	uint32_t fine;
	size_t fine_cells;
};

struct profile_options {
	bool no_inline;			/* functions that are inlined are no frames */
	bool rows;			/* also single samples with their texts */
	bool points;			/* also each sample, unless there are too many */
	bool states;			/* also runs, wakes, states and waits */
	/*
	 * A sample that stands for a time, as those of wall time and waits do, is in the cells of
	 * all stretches of this time, with the part that lies in each; it counts in the first one.
	 */
	bool spread;
	struct profile_limits limits;
};

struct profiler;

/* @options are copied. */
struct error *profiler_create(const struct profile_options *options, struct profiler **ret);
void profiler_destroy(struct profiler *profiler);
DEFINE_CLEANUP_PTR(profiler, struct profiler, profiler_destroy)

/* Takes all samples of a session that has a machine. */
struct session_consumer *profiler_consumer(struct profiler *profiler);

/*
 * Make the profile of all samples that were taken; once.  *ret belongs to @profiler, and its
 * names live as long as the session's machine.  The only error is to be out of memory.
 */
struct error *profiler_settle(struct profiler *profiler, const struct profile **ret);

#endif
