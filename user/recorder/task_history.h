/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks and maps of a recording, as records: the state at its beginning, and later
 * changes.  A writer of only the newest samples writes these records before them.
 */
#ifndef KTRACE_RECORDER_TASK_HISTORY_H
#define KTRACE_RECORDER_TASK_HISTORY_H

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "record/record.h"
#include "recorder/plan.h"

struct task_history {
	const struct plan *plan;	/* borrowed */
	struct record_sink sink;	/* takes records of tasks and maps, whole ones */
	struct strbuf known;		/* the initial ones, or of a later instant */
	struct strbuf since;		/* the later records */
};

/* Collect the current tasks and maps.  @ret must not move. */
struct error *task_history_init(const struct plan *plan, struct task_history *ret);
void task_history_deinit(struct task_history *history);

/*
 * Drop the oldest records until the later ones take at most @bytes.  For tasks that still exist,
 * the current state is collected.
 */
struct error *task_history_trim(struct task_history *history, size_t bytes);

/* Write all of it to @sink.  Tasks that ended long ago may be missing. */
struct error *task_history_write(const struct task_history *history, struct record_sink *sink);

#endif
