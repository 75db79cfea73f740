/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What whole CPUs tell of tasks (COMM, FORK, EXIT, MMAP2), and of it what a
 * command and its children do: the records an inherited event of the command would
 * have given, without one that every context switch must take along.
 *
 * Whose a record is can be said when all earlier ones are known, wherever they
 * were written.  Until then it is kept here.
 */
#ifndef KTRACE_CAPTURE_TASK_RECORDS_H
#define KTRACE_CAPTURE_TASK_RECORDS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"
#include "lib/strbuf.h"
#include "record/event.h"
#include "record/record.h"

struct task_record;

struct task_records {
	const struct event *event;	/* the layout of the records */
	pid_t command;
	bool begun;		/* the command's exec was seen */
	bool incomplete;	/* records were lost: whose the others are is a guess */
	void *processes;	/* of tsearch() */
	struct {
		struct task_record *items;
		size_t nr, alloc;
	} kept;
	struct strbuf bytes;	/* of the records kept */
	bool failed;		/* memory was out */
};

/* Of what @command does from its exec on.  @event must outlive it. */
void task_records_init(struct task_records *records, const struct event *event, pid_t command);
void task_records_deinit(struct task_records *records);

/*
 * Those of processes that are there now are not the command's; between the time
 * records begin to come and the command's exec.
 */
void task_records_leave_out_present(struct task_records *records);

/* Keep a record, which is copied, of the ring of @cpu; rings in any order. */
void task_records_add(struct task_records *records, const struct perf_event_header *header,
		      uint32_t cpu);

/* Records were lost: rather too much is given from now on than too little. */
void task_records_lost(struct task_records *records);

/*
 * All records from before @mark (ns; UINT64_MAX: all) were added: give the command's
 * to @sink, by time, and forget the others.
 */
struct error *task_records_give(struct task_records *records, uint64_t mark,
				struct record_sink *sink);

#endif
