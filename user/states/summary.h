/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts the samples of each event, in total and per thread and comm.
 */
#ifndef KTRACE_STATES_SUMMARY_H
#define KTRACE_STATES_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "session/session.h"

#define SUMMARY_COMM_BYTES	32

/* The samples of one event; of one task, or of all tasks. */
struct summary_count {
	const struct event *event;
	int32_t pid, tid;
	const char *comm;	/* the session's, where equal comms have equal pointers */
	char text[SUMMARY_COMM_BYTES];	/* its copy */
	uint64_t samples;
};

/* Both tables, the largest counts first; times in ns, 0 without samples. */
struct summary_tables {
	uint64_t samples, first_time, last_time;
	struct summary_count *by_event, *by_task;	/* owned */
	size_t nr_events, nr_tasks;
};

void summary_tables_deinit(struct summary_tables *tables);
DEFINE_CLEANUP(summary_tables, struct summary_tables, summary_tables_deinit)

struct summary;

struct error *summary_create(struct summary **ret);
void summary_destroy(struct summary *summary);

struct session_consumer *summary_consumer(struct summary *summary);

/* The counts so far; the only possible error is lack of memory. */
struct error *summary_tables_make(const struct summary *summary, struct summary_tables *ret);

#endif
