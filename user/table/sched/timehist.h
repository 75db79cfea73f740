/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks that each CPU ran, one row for each time that a task has stopped running: how long it
 * ran, how long it had been off the CPU before, and how long it had waited for a CPU meanwhile.
 */
#ifndef KTRACE_TABLE_SCHED_TIMEHIST_H
#define KTRACE_TABLE_SCHED_TIMEHIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "record/scope.h"
#include "session/selection.h"
#include "states/task_states.h"

struct timehist_options {
	bool idle;			/* only where CPUs begin and end to be idle */
	const struct cpumap *cpus;	/* only on these; NULL: all; borrowed */
	const struct id_list *pids, *tids;	/* only these; NULL or empty: all; borrowed */
	const struct cpumap *prios;	/* only tasks with these; NULL: all; borrowed */
	struct time_range time;
};

enum timehist_kind { TIMEHIST_RAN, TIMEHIST_WOKE, TIMEHIST_MOVED };

struct timehist_name {
	const char *comm;
	int32_t pid, tid;	/* 0, 0: the idle task of a CPU */
};

/* All times are in ns. */
struct timehist_row {
	enum timehist_kind kind;
	uint64_t time;
	int32_t cpu;
	struct timehist_name task;	/* that ran, woke or moved another one */
	struct timehist_name other;	/* WOKE, MOVED */
	uint64_t wait, delay, run;	/* RAN */
	bool lost_off, lost_run;	/* records were lost: no @wait and @delay, or no @run */
	const struct sched_event *event;
};

/* Receives rows; @row may be NULL. */
struct timehist_sink {
	struct error *(*row)(struct timehist_sink *sink, const struct timehist_row *row);
	/*
	 * @lost records of @cpu were lost between @since (ns; 0: unknown) and @time.  If rows of
	 * other CPUs came in between, their tasks may have run on @cpu meanwhile.
	 */
	struct error *(*lost)(struct timehist_sink *sink, uint64_t since, uint64_t time,
			      int32_t cpu, uint64_t lost);
};

/* The sums of one task, or of one CPU being idle. */
struct timehist_sums {
	uint64_t runs;			/* how often it was switched away from a CPU */
	uint64_t run, sleep, iowait, preempted, delay;	/* sums */
	uint64_t shortest, longest;	/* runs */
	double mean, squares;		/* of the runs; the sum of squared differences from it */
	uint64_t migrations;
	/* Since it was last switched away from a CPU: */
	uint64_t woken, left;		/* when; 0: not yet */
	struct sched_leave leave;
};

struct timehist_task {
	struct timehist_name name;	/* the comm is owned */
	int32_t parent;			/* tid; -1: unknown */
	struct timehist_sums sums;
};

struct timehist_summary {
	struct timehist_task *tasks;	/* that ran and are not left out; in perf's order */
	size_t nr_tasks;
	const struct timehist_sums *idle;	/* by CPU */
	size_t nr_cpus;
	uint64_t span;			/* from the first event to the last one */
	bool incomplete;		/* samples were left out, so CPUs' states are unknown */
};

struct timehist;

/* All is borrowed. */
struct error *timehist_create(const struct timehist_options *options, struct timehist_sink *sink,
			      struct timehist **ret);
void timehist_destroy(struct timehist *timehist);
DEFINE_CLEANUP_PTR(timehist, struct timehist, timehist_destroy)

struct session_consumer *timehist_consumer(struct timehist *timehist);

/*
 * How often a task stopped in the time without a recorded start.  Its row then counts all time
 * since the last recorded switch of its CPU as running.
 */
uint64_t timehist_unseen(const struct timehist *timehist);

/* The sums of a session that has ended; they live as long as @timehist. */
void timehist_summary(const struct timehist *timehist, struct timehist_summary *ret);

#endif
