/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counts of events, summed up for display.  Each event is counted in places: on a CPU, in a
 * thread, or in everything at once.  A set is a group of places that are summed up: all of them,
 * those of a core, a single CPU ...  A run is one execution of the command, or one interval; the
 * table has the mean of its runs.
 */
#ifndef KTRACE_COUNTS_STAT_TABLE_H
#define KTRACE_COUNTS_STAT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counts/stat_counts.h"
#include "counts/stat_formula.h"
#include "lib/cleanup.h"
#include "lib/cpu_place.h"
#include "lib/error.h"
#include "record/event.h"
#include "spec/event_names.h"

enum stat_by {
	STAT_BY_ALL,
	STAT_BY_SOCKET,
	STAT_BY_DIE,
	STAT_BY_CORE,
	STAT_BY_NODE,
	STAT_BY_CPU,
	STAT_BY_THREAD,
};

#define STAT_ANY_CPU	UINT32_MAX

struct stat_place {
	uint32_t cpu;		/* STAT_ANY_CPU */
	int64_t tid;		/* -1: any */
	char comm[16];		/* of the thread, ends with a NUL */
};

struct stat_set {
	struct stat_place place;	/* the first of its places */
	struct cpu_place cpu;		/* of this place's CPU */
	size_t nr;			/* of places */
};

/* Numbers whose mean is computed.  Initialize it to zeros. */
struct stat_series {
	size_t nr;
	double mean, squares;	/* squares: sum of the squared distances from the mean */
};

struct stat_table_event {
	const struct event *event;	/* borrowed */
	char unit[16];			/* "msec", or "" */
	double scale;			/* factor for the unit */
	bool supported;			/* it could be opened */
};

/* The values of an event in a set. */
struct stat_cell {
	struct stat_series value;		/* of the runs, in the event's unit, extrapolated */
	double enabled, running;		/* ns, sums of the last run */
};

struct stat_table {
	enum stat_by by;
	bool raw;			/* do not extrapolate counts of a part of the time */
	struct stat_table_event *events;
	size_t nr_events;
	struct stat_place *places;	/* owned */
	size_t nr_places;
	size_t *set_of;			/* by place */
	struct stat_set *sets;
	size_t nr_sets;
	struct stat_count *now, *before;	/* by event and place: in this run; at its start */
	struct stat_cell *cells;	/* by event and set */
	bool *placed;			/* likewise: the event has a counter there */
	struct stat_sum *sums;		/* by set, of the event being summed up */
	struct stat_series elapsed;	/* ns, of the runs */
	const struct stat_formulas *formulas;	/* borrowed; NULL: there are none */
};

/*
 * Create an empty table with copies of @places, which are grouped into sets by the topology of this
 * machine's CPUs.  On error, @ret has to be released, too.
 */
struct error *stat_table_init(const struct event_list *events, const struct stat_place *places,
			      size_t nr_places, enum stat_by by, struct stat_table *ret);
void stat_table_deinit(struct stat_table *table);

/*
 * Store the event's count in the place since its counter was opened.  Places without any stored
 * count have no counter.
 */
void stat_table_put(struct stat_table *table, size_t event, size_t place,
		    struct stat_count count);

/* A run of @elapsed ns has ended: add its counts, which began at @before, to the sums. */
void stat_table_end_run(struct stat_table *table, uint64_t elapsed);

/* Begin the next interval: drop the sums, and count from the current counts. */
void stat_table_begin_interval(struct stat_table *table);

/* New counters were opened for the next run: count from 0. */
void stat_table_begin_run(struct stat_table *table);

/* Drop the sums, and sum up all counts since the counters were opened. */
void stat_table_whole(struct stat_table *table, uint64_t elapsed);

struct stat_cell *stat_table_cell(const struct stat_table *table, size_t event, size_t set);

/* Whether the event has a counter in the set; an event without any counter: true in every set. */
bool stat_table_has_counter(const struct stat_table *table, size_t event, size_t set);

/* Whether the event was counted in the set at all. */
bool stat_cell_counted(const struct stat_cell *cell);

/* Whether it was counted for the whole requested time. */
bool stat_cell_whole(const struct stat_cell *cell);

/* Whether both events were counted during the same time; members of a group always are. */
bool stat_counted_together(const struct event *a, const struct stat_cell *in_a,
			   const struct event *b, const struct stat_cell *in_b);

void stat_series_add(struct stat_series *series, double number);

/* The standard error of the mean; 0 if there is only one number. */
double stat_series_error(const struct stat_series *series);

/* As stat_series_error(), in percent of the mean. */
double stat_series_error_percent(const struct stat_series *series);

/* The number of the tool that an event without a counter measures. */
enum event_tool stat_tool(const struct event *event);

/* Whether an event counts the run time of tasks, in ns. */
bool stat_is_clock(const struct event *event);

#endif
