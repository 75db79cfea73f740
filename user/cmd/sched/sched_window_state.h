/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The internals of the search for what tells of a window: sched_window.c reads the parts of the
 * recording, sched_window_samples.c takes in what lies there, sched_window_delays.c what is only
 * for `ktrace why`, and sched_window_times.c makes the times of it.
 */
#ifndef KTRACE_CMD_SCHED_SCHED_WINDOW_STATE_H
#define KTRACE_CMD_SCHED_SCHED_WINDOW_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/sched/sched_window.h"
#include "lib/cpumap.h"
#include "lib/hash_table.h"
#include "perfdata/reader.h"
#include "states/recorded_tasks.h"
#include "states/sched_event.h"

/* The first step away from the window, in ns; each further one is twice as long. */
#define WINDOW_FIRST_STEP	1000000ULL

/* Of so many numbers of tasks, where they were found last is remembered. */
#define WINDOW_RECENT	256

/* So few tasks are looked for by their numbers; with more, most parts have one of them. */
#define WINDOW_WORDS	8

/* A task whose state at the beginning of the window is needed. */
struct window_task {
	int64_t key;		/* its tid; of the idle task of CPU n: -n - 1 */
	uint64_t forked;	/* nothing of it lies before; 0: unknown */
	/* When it last stopped running, or for delays also began to, before that; 0: not found. */
	uint64_t stopped;
	uint64_t woken;		/* when it was first woken since then; 0: it was not */
	bool done;		/* all of its past that counts has been read */
	uint64_t straddles;	/* when it stops running behind the window; 0: it does not */

	/* For delays only. */
	uint64_t first;		/* its first event in the window */
	bool forked_inside;	/* before that event */
	uint64_t waits;		/* since then, unless it was switched later; 0: it does not */
	uint64_t switched;	/* when it last began to run, or stopped without waiting */
	uint64_t ended;		/* the first such time since @waits; 0: not found */
};

struct window_fork {
	int32_t tid;
	uint64_t time;
};

struct window_waking {
	size_t task;		/* index */
	uint64_t time;
};

/* The switches that are next to the window; 0: not found. */
struct window_cpu {
	uint64_t before, behind;
	uint64_t inside;	/* for delays: the first one in the window, until they end */
};

struct sched_window {
	struct reader *reader;
	const struct time_range *window;
	uint64_t until;			/* the window's end; of delays, that of the last one */
	bool delays;			/* for `ktrace why`, not for timehist */
	bool off_cpu;			/* they begin when tasks go to sleep */
	bool seeks_begin;		/* what is read now is only to find @begin */
	bool seeks_straddlers;		/* ... has the switches behind the window */
	bool seeks_between;		/* ... is only to find @between */
	uint64_t begin;			/* the first event of the scheduler; 0: not looked for */
	struct time_range step;		/* what is read now; both ends are included */
	struct sched_events events;
	uint64_t of_kind[SCHED_EVENT_KINDS];	/* bits 1 << index: the events of each kind */
	bool of_command;		/* delays of other tasks than @recorded are unknown */
	struct recorded_tasks recorded;
	struct {
		struct window_task *items;
		size_t nr, alloc;
	} tasks;
	struct hash_table by_key;
	uint32_t recent[WINDOW_RECENT];		/* by the low bits of the key: index + 1; 0: none */
	struct {
		struct window_waking *items;
		size_t nr, alloc;
	} wakings;
	struct {
		struct window_fork *items;
		size_t nr, alloc;
	} forks;
	struct {
		uint64_t *items;
		size_t nr, alloc;
	} between;			/* when straddling tasks do more than straddle */
	struct window_cpu *cpus;
	size_t nr_cpus;
	struct cpumap lacking;		/* CPUs of which a switch is still to be found */
	uint64_t first, last;		/* times of samples that the index tells of */
	bool has_state;			/* records that are no samples have been read */
	/* Whoever does something only later is not asked for: what is read ends before. */
	uint64_t needed_until;
	uint32_t words[WINDOW_WORDS];	/* the numbers of tasks whose past is still to be read */
	size_t nr_words;
	bool has_words;			/* each event of the scheduler has them as 32-bit words */
};

/* Whether @time lies in the window. */
bool window_has(const struct sched_window *w, uint64_t time);

/* The task with this key; NULL: it is not needed. */
struct window_task *window_task_find(struct sched_window *w, int64_t key);

/* From now on, the state of the task with this key is needed.  The error is to be out of memory. */
struct error *window_task_need(struct sched_window *w, int64_t key);

/* Take in a sample of w->step, or a FORK; how far they matter follows from what is looked for. */
struct error *window_take_sample(struct sched_window *w, const struct record *record);
struct error *window_take_fork(struct sched_window *w, const struct record *record);

/* When all is read, tell tasks when they began. */
void window_apply_forks(struct sched_window *w);

/* Read the samples of w->step, which @cpus (NULL: all) have taken, or with one of w->words. */
struct error *window_read(struct sched_window *w, const struct cpumap *cpus);

/* Let w->step be what begins at @from and is @size ns long, or less at the recording's end. */
void window_step_on(struct sched_window *w, uint64_t from, uint64_t size);

/* For delays: take in an event of the window, or of the delays that began in it. */
struct error *window_take_delay(struct sched_window *w, const struct sched_event *e);

/* Read on until all delays that began in the window have ended. */
struct error *window_follow_delays(struct sched_window *w);

/* Find w->begin: what is unknown of a task counts since the first event of the scheduler. */
struct error *window_find_begin(struct sched_window *w);

/*
 * Whether there are sleeps of which only the end is known.  They begin with the recording; those
 * that end behind the window are known from what lies there alone.
 */
bool window_has_unseen_sleeps(const struct sched_window *w);

/* Where the delays end; what was read to find that out may go beyond it. */
uint64_t window_end_of_delays(const struct sched_window *w);

/* Of what happens behind the delays, the switches that end what CPUs ran are read, too. */
uint64_t window_end_of_needs(const struct sched_window *w);

/* No interrupt goes on while a CPU switches, so those of the window begin behind that. */
uint64_t window_start_of_interrupts(const struct sched_window *w);

/* Append the times of all that is needed to @ret.  The error is to be out of memory. */
struct error *window_collect(struct sched_window *w, struct time_ranges *ret);

#endif
