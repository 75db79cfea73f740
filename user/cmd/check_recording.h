/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording `check` made of a workload: its tasks, and their records.
 */
#ifndef KTRACE_CMD_CHECK_RECORDING_H
#define KTRACE_CMD_CHECK_RECORDING_H

#include "check/captured.h"
#include "check/finding.h"
#include "check/task_tree.h"
#include "perfdata/reader.h"
#include "session/session.h"

/* The events of @results in record's words, "mydrv:start,mydrv:done". */
struct error *check_event_words(const struct results *results, struct strbuf *ret);

/* The events of a check by the first field of their records, common_type. */
struct check_types {
	size_t *events;			/* 1 more than the event's number; 0: none; by type */
	const struct event_format **formats;	/* by event; NULL: there is none */
};

void check_types_deinit(struct check_types *types);
DEFINE_CLEANUP(check_types, struct check_types, check_types_deinit)

/* @formats must outlive it. */
struct error *check_types_init(struct check_types *types, const struct results *results,
			       const struct formats *formats);

/* The number of the event a record is of; SIZE_MAX: of none. */
size_t check_types_find(const struct check_types *types, const void *raw, size_t size);

/*
 * Give all of the recording in @path, a file or a pipe, to @consumer.  How many
 * records it is without, as its LOST records tell (*ret_told) and at least as the
 * recorder counted (*ret_lost); either may be NULL.
 */
struct error *check_recording_run(const char *path, struct session_consumer *consumer,
				  uint64_t *ret_told, uint64_t *ret_lost);

/* The tasks that were forked and ended. */
struct error *check_recording_tasks(const char *path, struct task_tree *tree);

/* The records of @tree's tasks, and of those beside it while it was there. */
struct error *check_record_add(struct captured *captured, const struct check_types *types,
			       const struct task_tree *tree, const void *raw, size_t size,
			       uint64_t time, uint32_t cpu);

/*
 * All of a recording.  *ret_lost: how many the recording is
 * without; *ret_bytes (may be NULL): of the records that are taken, with headers.
 */
struct error *check_recording_records(const char *path, const struct check_types *types,
				      const struct task_tree *tree, struct captured *ret,
				      uint64_t *ret_lost, uint64_t *ret_bytes);

#endif
