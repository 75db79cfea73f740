/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long tasks ran, and how long they waited for a CPU after they could have run.
 */
#ifndef KTRACE_TABLE_SCHED_SCHED_LATENCY_H
#define KTRACE_TABLE_SCHED_SCHED_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/cpumap.h"
#include "states/task_states.h"

/* As in perf, the running time is the scheduler's own statistic, not computed from switches. */
#define LATENCY_TELLS_NO_RUNTIME \
	"sched_stat_runtime was not recorded, so Runtime is 0 in text and unknown in data: 'ktrace " \
	"sched timehist -s' finds it by the switches."

/* One task, or all tasks of a name. */
struct latency_row {
	const char *comm;	/* lives as long as the latencies */
	int32_t tid;		/* of the first one */
	size_t tasks;
	uint64_t runtime;	/* ns, by sched_stat_runtime */
	uint64_t delays;	/* how often it began to run after a known delay */
	uint64_t total, max;	/* of the delays, ns */
	uint64_t max_start, max_end;
};

enum latency_key { LATENCY_BY_AVG, LATENCY_BY_MAX, LATENCY_BY_SWITCH, LATENCY_BY_RUNTIME,
		   LATENCY_BY_PID };

#define LATENCY_KEYS	5

struct sched_latency_options {
	bool by_task;		/* a row for each task instead of each name */
	const struct cpumap *cpus;	/* only events on these; NULL: all */
	enum latency_key keys[LATENCY_KEYS];	/* largest first */
	size_t nr_keys;
};

/* Rows without delays, and those of idle tasks, are left out. */
struct latency_table {
	struct latency_row *items;
	size_t nr, alloc;
	bool no_runtime;	/* sched_stat_runtime was not recorded: running times are unknown */
	uint64_t runtime, delays;	/* of all rows */
	uint64_t switches;	/* all recorded ones */
	uint64_t wakeups;	/* of tasks that were blocked */
	uint64_t strangers;	/* struct task_states */
};

void latency_table_deinit(struct latency_table *table);
DEFINE_CLEANUP(latency_table, struct latency_table, latency_table_deinit)

/* Lengths of delays are counted by powers of two of 1 us, and by steps of 100 us. */
enum delay_steps { DELAY_STEPS_LOG, DELAY_STEPS_LINEAR };

#define DELAY_STEP_KINDS	2
#define DELAY_STEPS_NR		100	/* of each kind at most; the last one has no end */

/* The number of delays in a range of lengths. */
struct delay_step {
	uint64_t from, to;	/* ns; to 0: no end */
	uint64_t count;
};

struct sched_latency;

/* @options is borrowed. */
struct error *sched_latency_create(const struct sched_latency_options *options,
				   struct sched_latency **ret);
void sched_latency_destroy(struct sched_latency *latency);
DEFINE_CLEANUP_PTR(sched_latency, struct sched_latency, sched_latency_destroy)

struct session_consumer *sched_latency_consumer(struct sched_latency *latency);

/* Create the table when the session has ended.  The only error is a lack of memory. */
struct error *sched_latency_table(const struct sched_latency *latency, struct latency_table *ret);

/*
 * The delays of all rows of the table by their length, from the step of the shortest to that of the
 * longest.  *ret has room for DELAY_STEPS_NR.  Returns the number of steps.
 */
size_t sched_latency_steps(const struct sched_latency *latency, enum delay_steps kind,
			   struct delay_step *ret);

#endif
