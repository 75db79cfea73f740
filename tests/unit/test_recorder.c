// SPDX-License-Identifier: GPL-2.0
/*
 * A recording in this process, from parsed options to the ledger, with the fake backend and a
 * consumer of its own.
 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/interrupt.h"
#include "recorder/perf_file.h"
#include "recorder/recorder.h"
#include "spec/event_spec.h"
#include "tap.h"

/* Counts the records that it gets. */
struct counter {
	struct loop_consumer consumer;
	struct record_sink sink;
	const struct event_list *events;
	uint64_t samples, lost, foreign, clocks, requests, last_mark;
	bool marks_fell;
	uint64_t signal_at;	/* send USR2 to us when so many samples have come; 0: never */
};

static void count(struct counter *c, const struct perf_event_header *header)
{
	if (header->type == PERF_RECORD_LOST)
		c->lost += ((const uint64_t *)header)[2];
	if (header->type != PERF_RECORD_SAMPLE)
		return;
	if (!event_list_find_record(c->events, header))
		c->foreign++;
	if (++c->samples == c->signal_at)
		kill(getpid(), SIGUSR2);
}

static struct error *count_all(struct record_sink *sink, const struct record_span *span)
{
	struct counter *c = container_of(sink, struct counter, sink);
	const char *p = span->data, *end = p + span->size;

	while (p < end) {
		count(c, (const void *)p);
		p += ((const struct perf_event_header *)p)->size;
	}
	return NULL;
}

static struct error *count_round(struct record_sink *sink, uint64_t mark)
{
	struct counter *c = container_of(sink, struct counter, sink);

	c->marks_fell |= mark < c->last_mark;
	c->last_mark = mark;
	return NULL;
}

static struct error *count_clock(struct loop_consumer *consumer, struct captures *captures)
{
	container_of(consumer, struct counter, consumer)->clocks++;
	return NULL;
}

static struct error *count_request(struct loop_consumer *consumer)
{
	container_of(consumer, struct counter, consumer)->requests++;
	return NULL;
}

static const struct record_sink_ops counter_ops = { .write = count_all, .round = count_round };

static void counter_init(struct counter *c, const struct plan *plan)
{
	c->events = &plan->events;
	c->sink.ops = &counter_ops;
	c->consumer = (struct loop_consumer){
		.sink = &c->sink, .clock = count_clock, .requested = count_request,
	};
}

static struct error *make_plan(const char *events, const char *via, bool command,
			       struct plan *ret)
{
	struct event_specs specs = { 0 };
	const struct plan_options options = {
		.specs = &specs, .via = via, .clockid = -1,
		.target = { .command = command, .all_cpus = !command },
	};
	struct error *err = event_specs_add(&specs, events);

	if (!err)
		err = plan_init(&options, ret);
	/* Nothing of the options may be needed any more. */
	event_specs_deinit(&specs);
	return err;
}

static struct error *record(struct recorder *recorder, struct counter *counter)
{
	struct error *err = recorder_start(recorder);

	if (!err)
		err = recorder_run(recorder, &counter->consumer);
	return err ? err : recorder_ledger(recorder, &counter->consumer);
}

static void test_duration(void)
{
	const struct workload_options no_command = { 0 };
	_cleanup_(plan) struct plan plan = { 0 };
	_cleanup_(recorder) struct recorder recorder = { 0 };
	struct counter counter = { .signal_at = 1 };
	struct ledger_row sum;

	if (!no_error(make_plan("cpu-clock,task-clock", "fake", false, &plan),
		      "a plan is made of event words"))
		return;
	is_u64(plan.events.nr, 2, "the plan has both events");
	ok(plan_has_every_task(&plan), "without a command or tasks, every task is recorded");
	counter_init(&counter, &plan);
	no_error(recorder_open(&plan, &no_command, &recorder), "the plan can be opened");
	recorder.loop.latency_ms = 1;
	recorder.loop.duration_ms = 30;
	no_error(record(&recorder, &counter), "recording ends when its duration is over");
	sum = ledger_sum(&recorder.ledger, UINT32_MAX);
	ok(counter.samples > 0, "the consumer takes samples");
	is_u64(counter.foreign, 0, "each sample is of an event of the plan");
	is_u64(sum.recorded, counter.samples, "the ledger counts the samples that were taken");
	is_u64(ledger_row_lost(&sum), counter.lost, "the ledger counts the reported losses");
	ok(!counter.marks_fell, "no mark is earlier than the one before");
	is_u64(counter.last_mark, UINT64_MAX, "the last mark says that nothing follows");
	ok(counter.clocks >= 2, "the clocks are read at the beginning and at the end");
	is_u64(counter.requests, 1, "SIGUSR2 is passed on to the consumer once");
}

static void test_workload(void)
{
	char *argv[] = { "sh", "-c", "exit 3", NULL };
	const struct workload_options command = { .argv = argv };
	_cleanup_(plan) struct plan plan = { 0 };
	_cleanup_(recorder) struct recorder recorder = { 0 };
	struct counter counter = { 0 };

	if (!no_error(make_plan("cpu-clock", "fake", true, &plan), "a plan for a command is made"))
		return;
	ok(!plan_has_every_task(&plan), "a command is the only target");
	counter_init(&counter, &plan);
	no_error(recorder_open(&plan, &command, &recorder), "the command's recorder opens");
	is_u64(plan.target.tasks[0], recorder.workload.pid, "the target is the forked command");
	ok(!workload_ended(&recorder.workload), "the command waits until recording starts");
	no_error(record(&recorder, &counter), "recording ends with the command");
	ok(recorder.workload.reaped, "the command is reaped");
	is_u64(workload_status(&recorder.workload), 3, "the command's exit status is known");
}

static void test_no_command(void)
{
	char *argv[] = { "/nonexistent/command", NULL };
	const struct workload_options command = { .argv = argv };
	_cleanup_(plan) struct plan plan = { 0 };
	_cleanup_(recorder) struct recorder recorder = { 0 };

	if (!no_error(make_plan("cpu-clock", "fake", true, &plan), "another plan is made"))
		return;
	no_error(recorder_open(&plan, &command, &recorder), "opening does not run the command");
	is_error(recorder_start(&recorder),
		 "Cannot run '/nonexistent/command': No such file or directory",
		 "a command that cannot be run is an error when recording starts");
}

static void test_refusals(void)
{
	_cleanup_(plan) struct plan plan = { 0 }, whole = { 0 };
	struct event_specs specs = { 0 };
	const struct plan_options both = {
		.specs = &specs, .target = { .all_cpus = true, .pids = "1" },
	};

	is_error(make_plan("cpu-clock", "tape", false, &plan),
		 "--via takes auto, ktrace or perf, not 'tape'", "an unknown backend is refused");
	is_error(plan_init(&both, &whole), "-p, -t and -u select tasks, -a and -C whole CPUs",
		 "tasks and whole CPUs together are refused");
}

/* Within a hundredth of a second, each file still has a name of its own. */
static void test_timed_paths(void)
{
	char folder[] = "/tmp/ktrace-timed-XXXXXX", output[64], *paths[40] = { NULL };
	size_t made = 0;

	if (!mkdtemp(folder))
		return;
	snprintf(output, sizeof(output), "%s/perf.data", folder);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		int fd;

		paths[i] = perf_file_timed_path(output);
		fd = paths[i] ? open(paths[i], O_CREAT | O_EXCL | O_WRONLY, 0600) : -1;
		made += fd >= 0;
		if (fd >= 0)
			close(fd);
	}
	is_u64(made, ARRAY_SIZE(paths), "files that are written at once have names of their own");
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		if (paths[i])
			unlink(paths[i]);
		free(paths[i]);
	}
	rmdir(folder);
}

int main(void)
{
	interrupt_begin();
	test_timed_paths();
	test_duration();
	test_workload();
	test_no_command();
	test_refusals();
	return tap_done();
}
