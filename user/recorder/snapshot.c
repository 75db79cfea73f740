// SPDX-License-Identifier: GPL-2.0
#include "recorder/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/connection.h"

static struct error *write_snapshot(struct snapshots *s, struct perf_file *file)
{
	struct record_sink *sink = file->consumer.sink;
	struct error *err;

	err = task_history_write(&s->history, sink);
	if (!err)
		err = file->consumer.clock(&file->consumer, s->captures);
	return err ? err : captures_ledger(s->captures, sink, s->ledger);
}

static struct error *snapshots_take(struct snapshots *s, const char *path)
{
	struct perf_file file = { 0 };
	struct error *err;

	if (!path)
		return &error_no_memory;
	err = perf_file_create(path, plan_stored_events(s->plan), s->info, &file);
	if (err)
		return err;
	/* Drop the numbers of the last snapshot. */
	ledger_deinit(s->ledger);
	err = write_snapshot(s, &file);
	if (err)
		return perf_file_give_up(&file, err);
	err = perf_file_finish(&file, s->captures, s->ledger);
	if (err)
		return err;
	s->taken++;
	if (s->written)
		s->written(s->data, &file);
	return NULL;
}

static struct error *snapshots_take_requested(struct loop_consumer *consumer)
{
	struct snapshots *s = container_of(consumer, struct snapshots, consumer);
	_cleanup_free_ char *path = perf_file_timed_path(s->output);

	return snapshots_take(s, path);
}

static bool wants_one_at_end(const struct snapshots *s, const struct workload *workload)
{
	int status;

	if (s->at_end || !s->only_if_status)
		return s->at_end;
	/* A signal ended the recording before the command ended. */
	if (!workload->reaped)
		return false;
	status = workload_status(workload);
	return s->status < 0 ? status != 0 : status == s->status;
}

struct error *snapshots_finish(struct snapshots *s, const struct workload *workload)
{
	return wants_one_at_end(s, workload) ? snapshots_take(s, s->output) : NULL;
}

struct error *snapshots_init(struct snapshots *s)
{
	if (connection_is_stream(s->output))
		return error_hint(error_new(EINVAL, "Snapshots cannot be written to %s",
					    strcmp(s->output, "-") ? s->output : "standard output"),
				  "Each is a file of its own: name it with -o FILE");
	s->consumer = (struct loop_consumer){
		.sink = &s->history.sink, .requested = snapshots_take_requested,
	};
	return task_history_init(s->plan, &s->history);
}

void snapshots_deinit(struct snapshots *s)
{
	task_history_deinit(&s->history);
}
