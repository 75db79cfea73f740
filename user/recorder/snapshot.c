// SPDX-License-Identifier: GPL-2.0
/*
 * With snapshots, nothing is written until one is asked for.  Each snapshot is a separate
 * file, which begins with the tasks and maps that are known by then.
 */
#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "lib/cleanup.h"
#include "lib/options.h"
#include "recorder/recorder.h"

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

static struct error *add_known(struct record_sink *sink, const struct record_span *span)
{
	struct strbuf *known = container_of(sink, struct known_sink, sink)->known;

	strbuf_add(known, span->data, span->size);
	return known->failed ? &error_no_memory : NULL;
}

static const struct record_sink_ops known_ops = { .write = add_known };

/* Collect all tasks and maps that exist now. */
static struct error *know(struct snapshots *s)
{
	struct known_sink sink = { { &known_ops }, &s->known };

	strbuf_reset(&s->known);
	return record_synthesize(s->events, s->target, &sink.sink);
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
static struct error *forget_half(struct snapshots *s)
{
	struct strbuf rest = STRBUF_INIT;
	size_t half = next_record(&s->since, s->since.len / 2);

	strbuf_add(&rest, s->since.data + half, s->since.len - half);
	strbuf_deinit(&s->since);
	s->since = rest;
	return know(s);
}

static struct error *add_since(struct record_sink *sink, const struct record_span *span)
{
	struct snapshots *s = to_snapshots(sink);
	struct error *err = NULL;

	if (s->since.len + span->size > SINCE_MAX && s->since.len)
		err = forget_half(s);
	strbuf_add(&s->since, span->data, span->size);
	return !err && s->since.failed ? &error_no_memory : err;
}

static const struct record_sink_ops since_ops = { .write = add_since };

static struct error *parse_status(struct snapshots *s, const char *text)
{
	unsigned long long status;

	if (!text)
		return NULL;
	s->only_if_status = true;
	s->status = -1;
	if (!strcmp(text, "fail"))
		return NULL;
	if (!parse_u64(text, &status) || status > 255)
		return error_hint(error_new(EINVAL, "--snapshot-on-exit takes an exit status or 'fail', "
					    "not '%s'", text), "'fail' is any status but 0");
	s->status = status;
	return NULL;
}

struct error *snapshots_init(struct snapshots *s, const struct record_options *options)
{
	struct error *err = NULL;

	s->sink.ops = &since_ops;
	s->at_end = options->overwrite;
	if (options->snapshot_on_exit && !options->command)
		err = error_hint(error_new(EINVAL, "--snapshot-on-exit looks at the exit status of a "
					   "command, and there is none"),
				 "Put the command behind the options");
	else if (!strcmp(s->output, "-"))
		err = error_hint(error_new(EINVAL, "Snapshots cannot be written to standard output"),
				 "Each is a file of its own: name it with -o FILE");
	if (!err)
		err = parse_status(s, options->snapshot_on_exit);
	return err ? err : know(s);
}

void snapshots_deinit(struct snapshots *s)
{
	strbuf_deinit(&s->known);
	strbuf_deinit(&s->since);
}

bool snapshots_wanted_at_end(const struct snapshots *s, const struct workload *workload)
{
	int status;

	if (s->at_end || !s->only_if_status)
		return s->at_end;
	/* A signal ended the recording before the command ended. */
	if (!workload->reaped)
		return false;
	status = WIFSIGNALED(workload->wait_status) ? 128 + WTERMSIG(workload->wait_status) :
						      WEXITSTATUS(workload->wait_status);
	return s->status < 0 ? status != 0 : status == s->status;
}

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

static struct error *write_snapshot(struct recording *r, struct writer *writer,
				    struct ledger *ledger)
{
	struct record_sink *sink = writer_sink(writer);
	struct error *err;

	err = write_kept(&r->snapshots->known, sink);
	if (!err)
		err = write_kept(&r->snapshots->since, sink);
	if (!err)
		err = record_loop_add_clock(r, writer);
	return err ? err : record_loop_finish_captures(r, sink, ledger);
}

struct error *snapshots_take(struct recording *r, bool at_end, struct ledger *ledger)
{
	struct snapshots *s = r->snapshots;
	_cleanup_free_ char *path = at_end ? strdup(s->output) : timed_path(s->output);
	struct record_summary summary = {
		.events = s->events, .recording = r, .ledger = ledger, .output = path,
		.every_task = s->every_task,
	};
	struct writer *writer;
	struct error *err;

	if (!path)
		return &error_no_memory;
	err = writer_create(path, s->events, s->info, &writer);
	if (err)
		return err;
	/* Drop the numbers of the last snapshot. */
	ledger_deinit(ledger);
	err = write_snapshot(r, writer, ledger);
	if (err)
		return writer_give_up(writer, err);
	summary.bytes = writer_bytes(writer);
	summary.uncompressed_bytes = writer_uncompressed_bytes(writer);
	summary.samples = writer_samples(writer);
	err = writer_finish(writer, ledger);
	if (err)
		return err;
	s->taken++;
	record_summary_print(&summary);
	return NULL;
}
