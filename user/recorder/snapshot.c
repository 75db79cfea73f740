// SPDX-License-Identifier: GPL-2.0
#include "recorder/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

/* The most bytes that are kept about tasks that began and ended. */
#define SINCE_MAX (16 << 20)

static struct snapshots *to_snapshots(struct record_sink *sink)
{
	return container_of(sink, struct snapshots, sink);
}

struct known_sink {
	struct record_sink sink;
	struct strbuf *known;
};

static struct error *snapshots_add_known(struct record_sink *sink, const struct record_span *span)
{
	struct strbuf *known = container_of(sink, struct known_sink, sink)->known;

	strbuf_add(known, span->data, span->size);
	return known->failed ? &error_no_memory : NULL;
}

static const struct record_sink_ops known_ops = { .write = snapshots_add_known };

/* Collect all tasks and maps that exist now. */
static struct error *snapshots_know(struct snapshots *s)
{
	struct known_sink sink = { { &known_ops }, &s->known };

	strbuf_reset(&s->known);
	return plan_synthesize(s->plan, &sink.sink);
}

/* Returns the position of the first record at or behind @from. */
static size_t next_record(const struct strbuf *records, size_t from)
{
	size_t at = 0;

	while (at < from)
		at += ((const struct perf_event_header *)(records->data + at))->size;
	return at;
}

/*
 * Drop the older half of the records.  Tasks that ended long ago are forgotten; of the
 * others, the present state is collected.
 */
static struct error *snapshots_forget_half(struct snapshots *s)
{
	struct strbuf rest = STRBUF_INIT;
	size_t half = next_record(&s->since, s->since.len / 2);

	strbuf_add(&rest, s->since.data + half, s->since.len - half);
	strbuf_deinit(&s->since);
	s->since = rest;
	return snapshots_know(s);
}

static struct error *snapshots_add_since(struct record_sink *sink, const struct record_span *span)
{
	struct snapshots *s = to_snapshots(sink);
	struct error *err = NULL;

	if (s->since.len + span->size > SINCE_MAX && s->since.len)
		err = snapshots_forget_half(s);
	strbuf_add(&s->since, span->data, span->size);
	return !err && s->since.failed ? &error_no_memory : err;
}

static const struct record_sink_ops since_ops = { .write = snapshots_add_since };

/* As perf's --switch-output, name the file by the time, with hundredths of a second. */
static char *timed_path(const char *output)
{
	char when[32], *path;
	struct timeval now;
	struct tm tm;

	gettimeofday(&now, NULL);
	localtime_r(&now.tv_sec, &tm);
	strftime(when, sizeof(when), "%Y%m%d%H%M%S", &tm);
	if (asprintf(&path, "%s.%s%02u", output, when, (unsigned int)now.tv_usec / 10000) < 0)
		return NULL;
	return path;
}

static struct error *write_kept(const struct strbuf *records, struct record_sink *sink)
{
	struct record_span span = {
		.data = records->data, .size = records->len, .cpu = UINT32_MAX,
	};

	return records->len ? record_sink_write(sink, &span) : NULL;
}

static struct error *write_snapshot(struct snapshots *s, struct perf_file *file)
{
	struct record_sink *sink = file->consumer.sink;
	struct error *err;

	err = write_kept(&s->known, sink);
	if (!err)
		err = write_kept(&s->since, sink);
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
	err = perf_file_create(path, &s->plan->events, s->info, &file);
	if (err)
		return err;
	/* Drop the numbers of the last snapshot. */
	ledger_deinit(s->ledger);
	err = write_snapshot(s, &file);
	if (err)
		return perf_file_give_up(&file, err);
	err = perf_file_finish(&file, s->ledger);
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
	_cleanup_free_ char *path = timed_path(s->output);

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
	if (!strcmp(s->output, "-"))
		return error_hint(error_new(EINVAL, "Snapshots cannot be written to standard output"),
				  "Each is a file of its own: name it with -o FILE");
	s->sink.ops = &since_ops;
	s->consumer = (struct loop_consumer){
		.sink = &s->sink, .requested = snapshots_take_requested,
	};
	return snapshots_know(s);
}

void snapshots_deinit(struct snapshots *s)
{
	strbuf_deinit(&s->known);
	strbuf_deinit(&s->since);
}
