/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whole CPUs report all tasks (COMM, FORK, EXIT, MMAP2).  This selects the records of a command and
 * its children, as an inherited event of the command would give them.  Such an event would slow
 * down every context switch.
 *
 * To decide whether a record belongs to the command, all earlier records of all CPUs must be known.
 * Until then the record is kept here.
 */
#ifndef KTRACE_CAPTURE_PERF_TASK_RECORDS_H
#define KTRACE_CAPTURE_PERF_TASK_RECORDS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/array.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "record/event.h"
#include "record/record.h"

struct task_record;

struct task_records {
	const struct event *event;	/* the layout of the records */
	pid_t command;
	bool begun;		/* the command's exec was seen */
	bool incomplete;	/* records were lost, so owners of later ones are guesses */
	void *processes;	/* tree of tsearch() */
	ARRAY_OF(struct task_record) kept;
	struct strbuf bytes;	/* contents of the kept records */
	bool failed;		/* memory was out */
};

/* Select the records of @command from its exec on.  @event must outlive @records. */
void task_records_init(struct task_records *records, const struct event *event, pid_t command);
void task_records_deinit(struct task_records *records);

/*
 * Exclude the processes that exist now.  Call this after records have begun to come, and before the
 * command's exec.
 */
void task_records_leave_out_present(struct task_records *records);

/* Add a copy of a record of @cpu's ring.  Rings may come in any order. */
void task_records_add(struct task_records *records, const struct perf_event_header *header,
		      uint32_t cpu);

/* Report that records were lost.  From now on, too many records are given rather than too few. */
void task_records_lost(struct task_records *records);

/*
 * Report that all records before @mark (ns; UINT64_MAX: all) were added.  Write the command's
 * records among them to @sink in the order of time, and drop the rest.
 */
struct error *task_records_give(struct task_records *records, uint64_t mark,
				struct record_sink *sink);

#endif
