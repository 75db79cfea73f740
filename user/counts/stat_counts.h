/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the counts in a recording of `perf stat record`: at the end of each interval they are sums
 * since the beginning.
 */
#ifndef KTRACE_COUNTS_STAT_COUNTS_H
#define KTRACE_COUNTS_STAT_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/error.h"
#include "lib/hash_table.h"
#include "record/body.h"
#include "session/session.h"

struct stat_count {
	uint64_t value;
	uint64_t enabled, running;	/* ns */
};

/* The count of one event in one place. */
struct stat_counter {
	const struct event *event;
	uint32_t cpu, thread;		/* UINT32_MAX: any CPU; thread: index in pids[] */
	struct stat_count before, now;	/* at the end of the previous and the current interval */
};

/* Initialize it to zeros. */
struct stat_counts {
	struct stat_counter *items;	/* at the end of an interval sorted by event, thread, CPU */
	size_t nr, alloc;
	size_t next;			/* the counters of a round are in the same order */
	struct hash_table table;	/* positions in items */
	bool sorted;
	bool by_place;			/* perf stat showed CPUs and threads one by one */
	enum body_stat_aggregation by;	/* perf stat's aggregation */
	uint64_t interval_ms;		/* 0: a single count */
	bool raw;			/* do not extrapolate */
	int64_t *pids;			/* of the threads; -1: any process */
	char (*comms)[16];		/* their names; each ends with a NUL */
	size_t nr_pids;
	ARRAY_OF(uint32_t) cpus;	/* UINT32_MAX: any */
};

void stat_counts_deinit(struct stat_counts *counts);

/*
 * Apply a record that is no sample; records without counts are ignored.  *ret_round: an interval
 * has ended, at *ret_time (ns since the start of counting), and every event has its counters.
 * Events that could not be counted are 0.
 */
struct error *stat_counts_apply(struct stat_counts *counts, const struct session_record *r,
				bool *ret_round, uint64_t *ret_time);

/* Begin the next interval. */
void stat_counts_begin_round(struct stat_counts *counts);

/* The increase of the counter in the interval. */
struct stat_count stat_counts_difference(const struct stat_counter *counter);

/*
 * Extrapolate the count of a counter that shared the hardware and so counted only for a part of the
 * time.
 */
struct stat_count stat_counts_scale(struct stat_count count);

/* The pid of a counter's thread. */
int64_t stat_counts_pid(const struct stat_counts *counts, const struct stat_counter *counter);

#endif
