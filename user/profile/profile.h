/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording as charts show it: the functions that ran, by thread, CPU and time.  All samples are
 * in cells.  A cell belongs to a lane (an event, a thread and a CPU), to an interval of time, and
 * to a node in a tree of functions.  Nodes that are too small to be visible become one child of
 * their parent.  So a recording of any size gives a profile of a limited size, and no sample is
 * missing.
 */
#ifndef KTRACE_PROFILE_PROFILE_H
#define KTRACE_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls/chain_end.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "profile/wall_costs.h"
#include "session/session.h"

enum profile_kind {
	PROFILE_USER = 0,
	PROFILE_KERNEL,
	PROFILE_INLINED,
	PROFILE_UNKNOWN,	/* all code of a binary without symbols; its name is in brackets */
	PROFILE_ALL,		/* of the first node, which is above all others; no name */
	PROFILE_REST,		/* all children of a node that are too small; no name */
};

struct profile_function {
	const char *name, *binary;	/* may be anything that a recording contains */
	enum profile_kind kind;
	bool own;		/* it belongs to the program, not to a library: own_code.h */
};

/* Nodes are in depth-first order: all descendants of a node follow it. */
struct profile_node {
	uint32_t depth;		/* 0: only the first one */
	uint32_t function;
};

struct profile_task {
	int32_t pid, tid;
	int32_t parent;		/* the process that forked its process; -1: unknown */
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
	uint64_t samples, period;	/* samples 0: more time of an earlier sample */
};

/* A sample in compact form. */
struct profile_point {
	uint64_t time, period;
	uint32_t node;
};

struct profile_event {
	uint64_t samples, period;
	uint64_t each;		/* the constant period per sample of all cells; 0: it varies */
	uint64_t step;		/* each step-th sample is a row; 0: none */
	bool timed;		/* a sample covers the time from its own on, for its period */
};

/* Lost samples, from LOST records. */
struct profile_loss {
	uint64_t time, lost;	/* time 0: not recorded */
};

/* A single sample. */
struct profile_row {
	uint64_t time;
	uint32_t lane, node;
	const char *text;	/* its fields, as script prints them; "": none */
};

/* A task ran on a CPU. */
struct profile_run {
	uint64_t since, until;	/* ns */
	uint32_t task;		/* or PROFILE_SEVERAL */
	int32_t cpu;
};

/* Adjacent runs that are too short are merged into one, of several tasks. */
#define PROFILE_SEVERAL	UINT32_MAX

/* A CPU lost records, so the running task is unknown. */
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

/* A task was in a state; or in several short ones, which are merged. */
struct profile_stay {
	uint64_t since, until;		/* ns */
	uint64_t in[PROFILE_STATES];	/* ns; the rest is unknown */
	int32_t cpu;			/* where it ran; -1: none, or unknown */
	bool at_least;			/* only the end of the state was recorded */
};

/* All state intervals of a task, in order of time. */
struct profile_states {
	uint32_t task;
	const struct profile_stay *stays;
	size_t nr;
};

/* The profile owns all arrays; they are complete after profiler_settle(). */
struct profile {
	ARRAY_OF(struct profile_function) functions;
	ARRAY_OF(struct profile_node) nodes;
	ARRAY_OF(struct profile_task) tasks;
	ARRAY_OF(struct profile_lane) lanes;
	ARRAY_OF(struct profile_cell) cells;	/* by lane, then by stretch, then by node */
	struct {
		struct profile_point *items;	/* by lane, then by time; none: too many */
		size_t nr;
	} points;
	ARRAY_OF(struct profile_event) events;	/* by index of the event list */
	ARRAY_OF(struct profile_loss) losses;
	ARRAY_OF(struct profile_run) runs;	/* by CPU, then by time */
	/* the longest ones, if there are very many */
	ARRAY_OF(struct profile_unknown) unknown;
	ARRAY_OF(struct profile_wake) wakes;	/* the longest waits first */
	ARRAY_OF(struct profile_row) rows;	/* by time */
	ARRAY_OF(struct profile_states) states;
	uint64_t joined_stays;		/* shorter stays may be merged, ns; 0: none is */
	uint64_t joined;		/* shorter runs may be merged, ns; 0: none is */
	/*
	 * Two artificial events, whose periods are ns: `waits` is the index of the time for which
	 * tasks were blocked, the next index is the time for which they waited for a CPU.  Each is
	 * attributed to the functions in which they stopped running.  SIZE_MAX: none.
	 */
	size_t waits;
	uint64_t start, end;		/* of the samples, ns; end is exclusive */
	uint64_t width;			/* of a stretch, ns */
	uint32_t stretches;
	uint64_t samples, lost;		/* lost: the sum of losses */
	struct chain_ends ends;		/* of samples; periods are their numbers */
	struct wall_summary wall;	/* of states/wall_time.h; nr 0: other samples */
	double smallest;		/* share of an event below which nodes are too small */
};

/* The limits of a profile.  0: the defaults. */
struct profile_limits {
	size_t nodes, cells, points;
	uint32_t stretches;
	/*
	 * With very many samples, use up to @fine times as many stretches (1; with points, 64), if
	 * that gives at most @fine_cells cells.
	 */
	uint32_t fine;
	size_t fine_cells;
};

struct profile_options {
	bool no_inline;			/* inlined functions are no frames */
	bool rows;			/* also single samples with their texts */
	bool points;			/* also each sample, unless there are too many */
	bool states;			/* also runs, wakes, states and waits */
	/*
	 * A sample that covers a time, as those of wall time and waits do, is in the cells of all
	 * stretches of this time, with its share of each; it is counted in the first one.
	 */
	bool spread;
	struct profile_limits limits;
};

struct profiler;

/* @options are copied. */
struct error *profiler_create(const struct profile_options *options, struct profiler **ret);
void profiler_destroy(struct profiler *profiler);
DEFINE_CLEANUP_PTR(profiler, struct profiler, profiler_destroy)

/* Processes all samples of a session that has a machine. */
struct session_consumer *profiler_consumer(struct profiler *profiler);

/*
 * Build the profile of all samples; call it once.  @profiler owns *ret, and its names live as long
 * as the session's machine.  The only possible error is lack of memory.
 */
struct error *profiler_settle(struct profiler *profiler, const struct profile **ret);

#endif
