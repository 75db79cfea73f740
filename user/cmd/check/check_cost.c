// SPDX-License-Identifier: GPL-2.0
#include "cmd/check/check.h"
#include "lib/monotonic.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/ktrace/device.h"
#include "check/cost.h"
#include "cmd/check/check_recording.h"
#include "cmd/scratch_folder.h"
#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/ending.h"
#include "lib/log.h"
#include "lib/spawn.h"
#include "recorder/child.h"

enum { BY_TEMPLATE, BY_COUNTER, BY_PERF, WAYS_NR };

static const struct {
	const char *name;
	const char *via, *path;
} ways[WAYS_NR] = {
	[BY_TEMPLATE] = { "ktrace by template", "ktrace", "template" },
	[BY_COUNTER] = { "ktrace by counters", "ktrace", "counter" },
	[BY_PERF] = { "perf_event", "perf", NULL },
};

/* Runs of the command alone, before any event is measured. */
#define BLUR_RUNS	3

/* ns; few events cost more. */
#define USUAL_COST	1000

/* One run of the command. */
struct measured {
	uint64_t cpu_ns, wall_ns;
	uint64_t firings, bytes, lost;
};

struct measurement {
	struct results *results;
	char **command;
	const char *pages;
	const char *path;		/* of the recording */
	bool told;		/* a notice about an event with too few firings was printed */
	double blur;		/* ns by which runs of the command differ */
};

static uint64_t ns_of(const struct timeval *time)
{
	return time->tv_sec * 1000000000ULL + time->tv_usec * 1000ULL;
}

/*
 * Run the command and measure its CPU time, including children it waits for.  The sum of user
 * and system time is exact; the kernel only splits it into these two by ticks.
 */
static struct error *cost_run_command(const struct measurement *m, struct measured *ret)
{
	const struct spawn process = {
		.program = m->command[0], .argv = m->command, .out_to_errors = true,
		.dies_with_us = true,
	};
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	struct rusage usage;
	struct error *err;
	int status = 0;
	pid_t pid;

	err = spawn(&process, &pid);
	if (err)
		return err;
	ending_pass_to(pid);
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return error_errno(errno, "Cannot wait for %s", m->command[0]);
	ending_pass_to(0);
	if (ending_signal())
		return ending_error();
	ret->wall_ns = clock_ns(CLOCK_MONOTONIC) - begin;
	ret->cpu_ns = ns_of(&usage.ru_utime) + ns_of(&usage.ru_stime);
	if (!status)
		return NULL;
	return error_hint(error_new(0, "%s ended with status %d", m->command[0],
				    spawn_status(status)),
			  "check --cost needs a command that succeeds each time");
}

/* Count the records of the command's tasks; the command is a child of this process. */
static struct error *count_firings(const struct measurement *m, struct measured *ret)
{
	_cleanup_(check_types) struct check_types types = { 0 };
	_cleanup_(task_tree) struct task_tree tree = { 0 };
	_cleanup_(captured) struct captured captured = { 0 };
	_cleanup_(reader) struct reader *reader = NULL;
	struct error *err;

	if (!task_tree_init(&tree, getpid()))
		return &error_no_memory;
	task_tree_leave_out(&tree, getpid());
	err = reader_open(m->path, &reader);
	if (!err)
		err = check_types_init(&types, m->results, reader_formats(reader));
	if (!err)
		err = check_recording_tasks(m->path, &tree);
	/* The tree's time is empty, so that only records of its tasks are accepted. */
	tree.end = tree.begin;
	if (!err)
		err = check_recording_records(m->path, &types, &tree, &captured, &ret->lost,
					      &ret->bytes);
	ret->firings = captured.nr;
	return err;
}

/* Run the command while @way records those firings of @event that pass @filter (NULL: all). */
static struct error *run_captured(const struct measurement *m, size_t way, const char *event,
				  const char *filter, struct measured *ret)
{
	const struct recorder_event recorded = { .event = event, .filter = filter };
	const struct recorder_child_options options = {
		.program = RECORDER_CHILD_SELF,
		.command = {
			.events = &recorded, .nr_events = 1, .all_cpus = true,
			.output = m->path, .pages = m->pages,
			.via = ways[way].via, .path = ways[way].path,
		},
		.dies_with_us = true,
	};
	struct recorder_child recorder = RECORDER_CHILD_INIT;
	struct error *err;
	int status;
	char byte;

	err = recorder_child_start(&options, &recorder);
	if (err)
		return err;
	/* The recorder closes its end of the pipe when it records. */
	while (read(recorder.ready, &byte, 1) < 0 && errno == EINTR)
		;
	err = cost_run_command(m, ret);
	recorder_child_interrupt(&recorder);
	status = recorder_child_wait(&recorder);
	recorder_child_finish(&recorder);
	if (!err && status && status != 128 + SIGINT)
		err = error_hint(error_new(0, "Recording %s ended with status %d", event, status),
				 "Run 'ktrace record -a --via=%s -e %s' to see why", ways[way].via,
				 event);
	return err || filter ? err : count_firings(m, ret);
}

static void take_time(struct cost_times *times, const struct measured *run)
{
	if (times->nr < COST_ROUNDS)
		times->ns[times->nr++] = run->cpu_ns;
}

/* How much the CPU times of a few runs of the command alone differ. */
static struct error *measure_blur(struct measurement *m)
{
	struct cost_times times = { 0 };
	struct error *err = NULL;

	while (!err && times.nr < BLUR_RUNS) {
		struct measured plain = { 0 };

		err = cost_run_command(m, &plain);
		take_time(&times, &plain);
	}
	m->blur = costs_blur_of(&times);
	return err;
}

/* Warn after the first run, rather than after all of them, that the costs will be unknown. */
static void warn_of_blur(const struct measurement *m, const char *event, uint64_t firings)
{
	double needed = costs_firings_needed(m->blur, USUAL_COST);

	if (!firings || firings >= needed)
		return;
	log_warning("%s fires %" PRIu64 " times in a run, and runs of %s differ by %.0f us: costs will "
		    "stay unknown. With some %.0f firings in a run, one of %d ns would show. ^C ends "
		    "this.", event, firings, m->command[0], m->blur / 1e3, needed, USUAL_COST);
}

/*
 * Run all rounds of one method.  Baselines are measured in between, because the machine's
 * load changes.
 */
static struct error *measure_way(struct measurement *m, size_t way, const char *rejecting,
				 struct cost_row *row, double *ret_rate)
{
	struct cost_times without = { 0 }, recorded = { 0 }, rejected = { 0 };
	uint64_t firings = 0, fewest = UINT64_MAX, most = 0, bytes = 0, ns = 0;

	for (size_t round = 0; round < COST_ROUNDS; round++) {
		struct measured run = { 0 }, reject = { 0 }, plain = { 0 };
		struct error *err = cost_run_command(m, &plain);

		if (!err)
			err = run_captured(m, way, row->event, NULL, &run);
		if (!err)
			err = run_captured(m, way, row->event, rejecting, &reject);
		if (err)
			return err;
		if (run.lost) {
			row->why = "unknown: records were lost, a larger ring helps (-m 16M)";
			return NULL;
		}
		take_time(&without, &plain);
		take_time(&recorded, &run);
		take_time(&rejected, &reject);
		if (!round && !m->told) {
			m->told = true;
			warn_of_blur(m, row->event, run.firings);
		}
		firings += run.firings;
		bytes += run.bytes;
		ns += run.wall_ns;
		fewest = run.firings < fewest ? run.firings : fewest;
		most = run.firings > most ? run.firings : most;
		if (!firings)
			break;
	}
	row->firings = (double)firings / COST_ROUNDS;
	if (!firings) {
		row->why = "it did not fire";
	} else if (most - fewest > most / 10) {
		row->why = "unknown: the number of firings differs from run to run";
	} else {
		row->recorded = cost_of(&without, &recorded, row->firings);
		row->rejected = cost_of(&without, &rejected, row->firings);
		row->bytes = (double)bytes / firings;
	}
	if (ns)
		*ret_rate = firings * 1e9 / ns;
	return NULL;
}

static struct error *measure_event(struct measurement *m, struct result *result, int device)
{
	_cleanup_(strbuf) struct strbuf rejecting = STRBUF_INIT;
	double rate = 0;
	struct error *err;

	err = rejecting_filter_add(result, &rejecting);
	if (err)
		return err;
	m->told = false;
	for (size_t way = 0; way < WAYS_NR; way++) {
		struct cost_row row = { .event = result_name(result), .way = ways[way].name };
		uint64_t id;

		if (!row.event)
			return &error_no_memory;
		if (way != BY_PERF && device < 0)
			row.why = "the ktrace module is not loaded";
		else
			err = tracefs_event_id(result->system, result->name, &id);
		if (!err && way == BY_TEMPLATE && !row.why)
			row.why = device_why_no_template(device, id, row.event);
		if (!err && !row.why)
			err = measure_way(m, way, rejecting.data, &row, &rate);
		if (!err && !array_push(&m->results->costs, row))
			err = &error_no_memory;
		if (err) {
			free(row.event);
			return err;
		}
	}
	if (rate > 0)
		finding_add_rate(m->results, result, rate);
	else
		finding_add(m->results, result, RULE_EVENT_NOT_FIRED, NULL, NO_PLACE,
			    "The event did not fire in the command's tasks");
	return NULL;
}

struct error *check_cost_run(struct results *results, char **command, const char *pages)
{
	struct measurement m = { .results = results, .command = command, .pages = pages };
	struct held_folder folder = HELD_FOLDER_INIT;
	_cleanup_close_ int device = -1;
	_cleanup_free_ char *path = NULL;
	struct ktrace_info info;
	struct error *err;

	err = device_open(&device, &info);
	if (err) {
		device = -1;
		error_free(err);
	}
	err = scratch_folder_create(&folder, "ktrace-check");
	if (!err && asprintf(&path, "%s/0.data", folder.path) < 0) {
		path = NULL;
		err = &error_no_memory;
	}
	m.path = path;
	if (!err)
		err = measure_blur(&m);
	for (size_t i = 0; !err && i < results->nr; i++)
		err = measure_event(&m, results->items[i], device);
	scratch_folder_destroy(&folder);
	if (!err)
		costs_print(&results->costs, &results->notes);
	return err;
}
