/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data of a chart of a recording: the states of tasks, the tasks on each CPU, and the CPUs'
 * idle states and frequencies.  Also chooses the tasks that get a row.
 */
#ifndef KTRACE_TABLE_TIMECHART_TIMECHART_H
#define KTRACE_TABLE_TIMECHART_TIMECHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "session/session.h"
#include "states/known_events.h"
#include "states/task_stays.h"

/*
 * When each CPU was in which idle state and ran at which frequency, by the events power:cpu_idle
 * and power:cpu_frequency.
 */
struct power_span {
	uint64_t since, until;	/* ns */
	uint32_t value;		/* the number of an idle state, or kHz */
};

/* In the order of time, without overlap.  The state before the first event is unknown. */
struct power_track {
	struct power_span *items;
	size_t nr, alloc;
	bool is_open;		/* the last one continues */
};

struct power_cpu {
	struct power_track idle, frequency;
};

struct power_spans {
	struct known_events events;
	ARRAY_OF(struct power_cpu) cpus;
};

/* Largest number of rows of tasks, unless the user names more. */
#define TIMECHART_ROWS	500

/* The user's name of a task: a comm, or the number of a thread or a process. */
struct timechart_word {
	const char *text;	/* borrowed */
	bool found;		/* set by timechart_choose() */
};

/* A task with a row. */
struct timechart_task {
	const struct stayed_task *task;
	uint64_t runtime;	/* ns */
	uint64_t process_since;	/* beginning of the first row of its process */
};

struct timechart {
	struct session_consumer consumer;	/* of the session */
	struct task_stays *stays;
	struct power_spans power;
	uint64_t begin, end;	/* ns: times of the first and the last sample; 0: none */
	ARRAY_OF(struct timechart_task) tasks;	/* by process, in the order of their beginnings */
	size_t left_out;	/* tasks that ran, but have no row */
	uint64_t threshold;	/* ns: they ran for less; 0: the user named the tasks */
};

struct error *timechart_create(struct timechart **ret);
void timechart_destroy(struct timechart *chart);
DEFINE_CLEANUP_PTR(timechart, struct timechart, timechart_destroy)

/*
 * Choose the tasks, once, when the session has ended.  With @words, @nr of them, the named ones.
 * Otherwise tasks that ran for 10 ms, or a tenth, a hundredth ... of it, until there are @least of
 * them; with 0, none.  The only error is a lack of memory.
 */
struct error *timechart_choose(struct timechart *chart, struct timechart_word *words, size_t nr,
			       size_t least);

/* Whether @word names such a task. */
bool timechart_word_names(const char *word, const char *comm, int32_t pid, int32_t tid);
bool timechart_is_named(const struct stayed_task *task, const char *word);

/* The begin and the end of a task's state interval, clipped to the chart. */
uint64_t timechart_stay_begin(const struct timechart *chart, const struct stayed_task *task,
			      size_t stay);
uint64_t timechart_stay_end(const struct timechart *chart, const struct stayed_task *task,
			    size_t stay);

#endif
