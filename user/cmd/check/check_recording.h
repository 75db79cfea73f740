/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording that `check` made of a workload: its tasks and their records.
 */
#ifndef KTRACE_CMD_CHECK_CHECK_RECORDING_H
#define KTRACE_CMD_CHECK_CHECK_RECORDING_H

#include "check/captured.h"
#include "check/finding.h"
#include "check/task_tree.h"
#include "perfdata/reader.h"
#include "session/session.h"

/* Append the events of @results in the syntax of record's -e, "mydrv:start,mydrv:done". */
struct error *check_event_words(const struct results *results, struct strbuf *ret);

/* Finds the events of a check by common_type, the first field of their records. */
struct check_types {
	size_t *events;			/* by type: the event's number plus 1; 0: none */
	const struct event_format **formats;	/* by event; NULL: there is none */
};

void check_types_deinit(struct check_types *types);
DEFINE_CLEANUP(check_types, struct check_types, check_types_deinit)

/* @formats must outlive @types. */
struct error *check_types_init(struct check_types *types, const struct results *results,
			       const struct formats *formats);

/* Returns the number of the record's event, or SIZE_MAX if it is not an event of the check. */
size_t check_types_find(const struct check_types *types, const void *raw, size_t size);

/*
 * Pass the whole recording in @path, a file or a pipe, to @consumer.  *ret_told is the number of
 * lost records by its LOST records.  *ret_lost is the higher of that number and the recorder's own
 * count, without the firings that recording itself caused: rings of any size lose these, and
 * comparisons show their events.  Either may be NULL.
 */
struct error *check_recording_run(const char *path, struct session_consumer *consumer,
				  uint64_t *ret_told, uint64_t *ret_lost);

/* Add the tasks that were forked and ended to @tree. */
struct error *check_recording_tasks(const char *path, struct task_tree *tree);

/* Add a record if it is of @tree's tasks, or of other tasks while the tree existed. */
struct error *check_record_add(struct captured *captured, const struct check_types *types,
			       const struct task_tree *tree, const void *raw, size_t size,
			       uint64_t time, uint32_t cpu);

/*
 * Read all records of a recording.  *ret_lost is the number of lost records; *ret_bytes (may be
 * NULL) is the size of the accepted records, with headers.
 */
struct error *check_recording_records(const char *path, const struct check_types *types,
				      const struct task_tree *tree, struct captured *ret,
				      uint64_t *ret_lost, uint64_t *ret_bytes);

#endif
