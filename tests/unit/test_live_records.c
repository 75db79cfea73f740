// SPDX-License-Identifier: GPL-2.0
/*
 * Records that are read while they are recorded, in one thread, with the fake backend; and the
 * last of them as a recording.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/interrupt.h"
#include "perfdata/reader.h"
#include "recorder/live_records.h"
#include "recorder/recorder.h"
#include "session/session.h"
#include "spec/event_spec.h"
#include "tap.h"

/* A consumer of a session that takes steps in the turns of the loop. */
struct watcher {
	struct session_consumer consumer;
	struct live_records live;
	struct session session;
	uint64_t samples, other, turns, end_after;
	bool ended_early;
};

static struct error *watch_sample(struct session_consumer *consumer,
				  const struct session_record *r)
{
	container_of(consumer, struct watcher, consumer)->samples++;
	return NULL;
}

static struct error *watch_other(struct session_consumer *consumer, const struct session_record *r)
{
	container_of(consumer, struct watcher, consumer)->other++;
	return NULL;
}

static struct error *watch_steps(struct watcher *w)
{
	struct error *err = NULL;
	bool more = true;

	while (more && !err)
		err = session_step(&w->session, &w->consumer, &more);
	return err;
}

static struct error *watch_turn(struct loop_consumer *consumer, bool *ret_end)
{
	struct watcher *w = container_of(consumer, struct watcher, live.consumer);

	w->turns++;
	*ret_end = w->end_after && w->samples >= w->end_after;
	return watch_steps(w);
}

static struct error *plan_of(const char *events, struct plan *ret)
{
	struct event_specs specs = { 0 };
	const struct plan_options options = {
		.specs = &specs, .via = "fake", .clockid = -1, .target = { .all_cpus = true },
	};
	struct error *err = event_specs_add(&specs, events);

	if (!err)
		err = plan_init(&options, ret);
	event_specs_deinit(&specs);
	return err;
}

static struct error *watch(struct recorder *recorder, struct watcher *w)
{
	struct error *err = session_start(&w->session);

	if (!err)
		err = recorder_start(recorder);
	if (!err)
		err = recorder_run(recorder, &w->live.consumer);
	if (!err)
		err = recorder_ledger(recorder, &w->live.consumer);
	return err ? err : watch_steps(w);
}

static struct error *count_file(const char *path, struct watcher *ret)
{
	_cleanup_(reader) struct reader *reader = NULL;
	struct session session = { 0 };
	struct error *err = reader_open(path, &reader);

	ret->consumer = (struct session_consumer){ .sample = watch_sample };
	if (err)
		return err;
	session.source = reader_source(reader);
	session.events = reader_events(reader);
	session.formats = reader_formats(reader);
	err = session_run(&session, &ret->consumer);
	ret->other = session.lost;
	return err;
}

static void test_live_reading(void)
{
	const struct workload_options no_command = { 0 };
	const struct writer_info info = { .version = "test", .clockid = -1 };
	_cleanup_(plan) struct plan plan = { 0 };
	_cleanup_(recorder) struct recorder recorder = { 0 };
	struct watcher w = { .end_after = 50 }, file = { 0 };
	char path[] = "/tmp/ktrace-live-XXXXXX";
	struct perf_file written = { 0 };
	struct ledger_row sum;

	close(mkstemp(path));
	if (!no_error(plan_of("cpu-clock,task-clock", &plan), "a plan is made") ||
	    !no_error(recorder_open(&plan, &no_command, &recorder), "the plan is opened") ||
	    !no_error(live_records_init(&plan, &recorder.captures, &info, &w.live),
		      "live records are prepared"))
		return;
	w.live.consumer.turn = watch_turn;
	w.consumer = (struct session_consumer){ .sample = watch_sample, .other = watch_other };
	w.session = (struct session){ .source = &w.live.source, .events = &plan.events };
	recorder.loop.latency_ms = 1;
	recorder.loop.duration_ms = 60000;
	no_error(watch(&recorder, &w), "the consumer ends the recording");
	sum = ledger_sum(&recorder.ledger, UINT32_MAX);
	ok(w.samples >= 50, "the session gave the samples while they were recorded");
	ok(w.turns >= 1, "the loop gave the consumer turns");
	is_u64(w.samples, sum.recorded, "all samples of the ledger were read");
	is_u64(w.live.samples, sum.recorded, "all samples of the ledger were counted");
	is_u64(w.live.lost, ledger_row_lost(&sum), "all losses were counted");
	is_u64(w.session.inversions, 0, "the records came in the order of their times");
	no_error(live_records_write(&w.live, path, &written), "the last records can be written");
	is_u64(written.samples, w.samples, "the file has all samples of the last seconds");
	no_error(count_file(path, &file), "the file can be read");
	is_u64(file.samples, w.samples, "reading gives the samples that were read live");
	is_u64(file.other, w.live.lost, "reading gives the losses that were read live");
	is_error(live_records_write(&w.live, "/nonexistent/file", &written),
		 "Cannot create /nonexistent/file: No such file or directory",
		 "a file that cannot be made is an error");
	session_finish(&w.session);
	live_records_deinit(&w.live);
	unlink(path);
}

/* Backends without marks end rounds as perf does, without saying when. */
static void test_rounds(void)
{
	const struct workload_options no_command = { 0 };
	const struct writer_info info = { .version = "test", .clockid = -1 };
	_cleanup_(plan) struct plan plan = { 0 };
	_cleanup_(recorder) struct recorder recorder = { 0 };
	_cleanup_(live_records) struct live_records live = { 0 };
	const uint64_t marks[] = { 0, 5, 0 };
	struct record record;
	struct error *err = NULL;
	size_t rounds = 0;

	if (!no_error(plan_of("cpu-clock", &plan), "another plan is made") ||
	    !no_error(recorder_open(&plan, &no_command, &recorder), "that plan is opened") ||
	    !no_error(live_records_init(&plan, &recorder.captures, &info, &live),
		      "its live records are prepared"))
		return;
	while (record_source_next(&live.source, &record, &err) == RECORD_OK)
		;
	for (size_t i = 0; i < 3; i++)
		no_error(record_sink_round(&live.sink, marks[i]),
			 named("round %zu is taken", i));
	while (record_source_next(&live.source, &record, &err) == RECORD_OK) {
		is_u64(record.header->type, RECORD_FINISHED_ROUND, named("record %zu ends a round",
									 rounds));
		is_u64(record.header->size, marks[rounds] ? 16 : 8,
		       named("record %zu has a body if there is a mark", rounds));
		if (++rounds > 3)
			break;
	}
	is_u64(rounds, 3, "each round is given once");
}

int main(void)
{
	interrupt_begin();
	test_live_reading();
	test_rounds();
	return tap_done();
}
