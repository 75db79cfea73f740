// SPDX-License-Identifier: GPL-2.0
#include "recorder/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/monotonic.h"
#include "perfdata/connection.h"

/* The limit of the records about changes of tasks at the beginning of a part. */
#define HISTORY_BYTES (1 << 20)

static uint64_t minus_known(uint64_t sum, uint64_t before)
{
	if (sum == LEDGER_NOT_KNOWN || before == LEDGER_NOT_KNOWN)
		return sum;
	return sum > before ? sum - before : 0;
}

static struct ledger_row *parts_find_row(const struct ledger *ledger, const struct ledger_row *row)
{
	for (size_t i = 0; i < ledger->nr; i++) {
		struct ledger_row *other = &ledger->items[i];

		if (other->event == row->event && other->cpu == row->cpu &&
		    (row->event != UINT32_MAX || other->source == row->source))
			return other;
	}
	return NULL;
}

/* Compute the ledger of the period from @before to the sums @now. */
static struct error *parts_stretch(const struct ledger *now, const struct ledger *before,
				   struct ledger *ret)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < now->nr; i++) {
		struct ledger_row row = now->items[i];
		const struct ledger_row *old = parts_find_row(before, &row);

		if (old) {
			row.recorded = minus_known(row.recorded, old->recorded);
			row.filtered = minus_known(row.filtered, old->filtered);
			row.out_of_scope = minus_known(row.out_of_scope, old->out_of_scope);
			for (int r = 0; r < LEDGER_LOST_NR; r++)
				row.lost[r] = minus_known(row.lost[r], old->lost[r]);
		}
		err = ledger_add(ret, &row);
	}
	return err;
}

/*
 * Records in the rings belong to the next part.  So the current sums count only written records as
 * recorded.
 */
static void parts_count_written(const struct parts *parts, struct ledger *now)
{
	for (size_t i = 0; i < now->nr; i++) {
		struct ledger_row *row = &now->items[i];
		const struct ledger_row *old = parts_find_row(&parts->before, row);

		if (row->event == UINT32_MAX)
			continue;
		row->recorded = writer_recorded(parts->file.writer, row->event, row->cpu) +
			(old ? old->recorded : 0);
	}
}

/* Name the part by the time of its end; another part may have used the name already. */
static struct error *parts_name(struct parts *parts)
{
	for (;;) {
		free(parts->path);
		parts->path = perf_file_timed_path(parts->output);
		if (!parts->path)
			return &error_no_memory;
		if (access(parts->path, F_OK))
			break;
		usleep(10000);
	}
	parts->file.path = parts->path;
	return writer_set_path(parts->file.writer, parts->path);
}

static struct error *parts_complete(struct parts *parts, struct perf_file *file,
				    const struct ledger *ledger)
{
	_cleanup_(ledger) struct ledger stretch = { 0 };
	struct error *err = parts_stretch(ledger, &parts->before, &stretch);

	if (err)
		return perf_file_give_up(file, err);
	err = perf_file_finish(file, parts->captures, &stretch);
	if (err || !parts->files.max_files)
		return err;
	return kept_files_add(&parts->files, parts->path, file->bytes);
}

static struct error *parts_create(struct parts *parts, struct perf_file *ret)
{
	return perf_file_create(parts->output, plan_stored_events(parts->plan), &parts->info, ret);
}

static void parts_began(struct parts *parts)
{
	parts->consumer.sink = parts->file.consumer.sink;
	writer_watch_tasks(parts->file.writer, &parts->history.sink);
	parts->began_bytes = writer_bytes(parts->file.writer);
	parts->began_ms = monotonic_ms();
}

/*
 * The next file exists before the part ends, so that the records in the rings have a place to go,
 * and an error leaves a complete part.
 */
static struct error *parts_switch(struct parts *parts)
{
	_cleanup_(ledger) struct ledger now = { 0 };
	struct perf_file next = { 0 };
	struct error *err;

	err = parts_create(parts, &next);
	if (!err)
		err = task_history_write(&parts->history, next.consumer.sink);
	if (!err)
		err = captures_sums(parts->captures, &now);
	if (!err)
		err = parts_name(parts);
	if (err) {
		perf_file_deinit(&next);
		return err;
	}
	parts_count_written(parts, &now);
	parts->samples += writer_samples(parts->file.writer);
	err = parts_complete(parts, &parts->file, &now);
	parts->file = next;
	if (err)
		return err;
	ledger_deinit(&parts->before);
	parts->before = now;
	now = (struct ledger){ 0 };
	if (parts->written)
		parts->written(parts->data, parts->path);
	parts_began(parts);
	err = parts->file.consumer.clock(&parts->file.consumer, parts->captures);
	return err ? err : task_history_trim(&parts->history, HISTORY_BYTES);
}

static struct error *parts_clock(struct loop_consumer *consumer, struct captures *captures)
{
	struct parts *parts = container_of(consumer, struct parts, consumer);

	return parts->file.consumer.clock(&parts->file.consumer, captures);
}

static struct error *parts_requested(struct loop_consumer *consumer)
{
	return parts_switch(container_of(consumer, struct parts, consumer));
}

static struct error *parts_turn(struct loop_consumer *consumer, bool *ret_end)
{
	struct parts *parts = container_of(consumer, struct parts, consumer);
	const struct parts_limit *limit = &parts->limit;
	uint64_t bytes = writer_bytes(parts->file.writer) - parts->began_bytes;

	if ((limit->bytes && bytes >= limit->bytes) ||
	    (limit->ms && monotonic_ms() - parts->began_ms >= limit->ms))
		return parts_switch(parts);
	return NULL;
}

struct error *parts_init(struct parts *parts)
{
	const struct parts_limit *limit = &parts->limit;

	if (connection_is_stream(parts->output))
		return error_hint(error_new(EINVAL, "--switch-output cannot write to %s",
					    strcmp(parts->output, "-") ? parts->output :
					    "standard output"),
				  "Each part is a file of its own: name it with -o FILE");
	parts->info.count_by_cpu = true;
	parts->consumer = (struct loop_consumer){
		.clock = parts_clock, .turn = parts_turn,
		.requested = limit->bytes || limit->ms ? NULL : parts_requested,
	};
	return parts_create(parts, &parts->file);
}

struct error *parts_begin(struct parts *parts)
{
	struct record_sink *sink = parts->file.consumer.sink;
	struct error *err = task_history_init(parts->plan, &parts->history);

	if (!err)
		err = task_history_write(&parts->history, sink);
	if (!err)
		parts_began(parts);
	return err;
}

struct error *parts_finish(struct parts *parts, const struct ledger *ledger)
{
	struct error *err = parts_name(parts);

	if (err)
		return perf_file_give_up(&parts->file, err);
	return parts_complete(parts, &parts->file, ledger);
}

struct error *parts_give_up(struct parts *parts, struct error *err)
{
	struct error *failed = parts_name(parts);

	error_free(failed);
	return perf_file_give_up(&parts->file, err);
}

void parts_deinit(struct parts *parts)
{
	perf_file_deinit(&parts->file);
	task_history_deinit(&parts->history);
	ledger_deinit(&parts->before);
	kept_files_deinit(&parts->files);
	free(parts->path);
}
