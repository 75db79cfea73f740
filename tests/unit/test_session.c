// SPDX-License-Identifier: GPL-2.0
/* Comms of tasks, paths of cgroups, and which samples are selected. */
#include <stdlib.h>

#include "record/body.h"
#include "session/cgroups.h"
#include "session/process.h"
#include "session/selection.h"
#include "tap.h"

static struct processes *processes;

static void comm(int32_t pid, int32_t tid, const char *name)
{
	struct {
		struct perf_event_header header;
		int32_t pid, tid;
		char comm[64];
	} r = { { PERF_RECORD_COMM, 0, sizeof(r) }, pid, tid, "" };
	const struct record record = { .header = &r.header };

	snprintf(r.comm, sizeof(r.comm), "%s", name);
	error_free(processes_apply(processes, &record));
}

static void task(uint32_t type, int32_t pid, int32_t tid, int32_t ppid, int32_t ptid)
{
	struct {
		struct perf_event_header header;
		struct body_task body;
	} r = { { type, 0, sizeof(r) }, { pid, ppid, tid, ptid, 1 } };
	const struct record record = { .header = &r.header };

	error_free(processes_apply(processes, &record));
}

TEST(test_comms)
{
	bool all = true;

	if (processes_create(&processes))
		abort();
	is_str(processes_comm(processes, 0, 0), "swapper", "the idle task");
	is_str(processes_comm(processes, 10, 11), ":11", "one never heard of");
	is_str(processes_comm(processes, -1, -1), ":-1", "one that is being unhashed");
	comm(10, 11, "worker");
	is_str(processes_comm(processes, 10, 11), "worker", "the name by COMM");
	task(PERF_RECORD_FORK, 20, 20, 10, 11);
	is_str(processes_comm(processes, 20, 20), "worker", "a child has its parent's comm");
	comm(20, 20, "ls");
	is_str(processes_comm(processes, 10, 11), "worker", "the comm of a child stays its own when the parent execs");
	task(PERF_RECORD_FORK, 21, 21, 12, 12);
	is_str(processes_comm(processes, 21, 21), ":21", "a child of one never heard of");
	is_u64(processes_parent(processes, 20), 11, "the thread that forked it");
	is_u64(processes_parent(processes, 3000), -1, "the parent of a thread never heard of");
	is_u64(processes_pid(processes, 11), 10, "the process of a thread");
	is_u64(processes_pid(processes, 3000), -1, "the process of one never heard of");
	task(PERF_RECORD_EXIT, 20, 20, 10, 11);
	is_str(processes_comm(processes, 20, 20), "ls", "it is still known while it exits");
	task(PERF_RECORD_FORK, 20, 20, 21, 21);
	is_str(processes_comm(processes, 20, 20), ":20", "its number used again");
	comm(30, 30, "a comm that is longer than any kernel gives out");
	is_str(processes_comm(processes, 30, 30), "a comm that is longer than any ", "is cut");
	for (int32_t len = 31; len < 35; len++) {
		char text[40] = "";

		memset(text, 'x', len);
		comm(len, len, text);
		all &= strlen(processes_comm(processes, len, len)) == 31;
	}
	ok(all, "of comms with 31 to 34 letters, 31 are kept");
	for (int32_t i = 1000; i < 6000; i++)
		comm(i, i, i & 1 ? "odd" : "even");
	for (int32_t i = 1000; i < 6000; i++)
		all &= !strcmp(processes_comm(processes, i, i), i & 1 ? "odd" : "even");
	ok(all, "five thousand of them");
	processes_destroy(processes);
}

static void cgroup(struct cgroups *cgroups, uint64_t id, const char *path, size_t size)
{
	struct {
		struct perf_event_header header;
		uint64_t id;
		char path[32];
	} r = { { PERF_RECORD_CGROUP, 0, sizeof(r.header) + size }, id, "" };

	memset(r.path, 'x', sizeof(r.path));
	memcpy(r.path, path, strlen(path) + 1);
	error_free(cgroups_apply(cgroups, &r.header));
}

TEST(test_cgroups)
{
	struct cgroups cgroups = { 0 };
	char path[32];

	ok(!cgroups_path(&cgroups, 1), "without records no cgroup has a path");
	cgroup(&cgroups, 1, "/", 40);
	cgroup(&cgroups, 7, "/system.slice", 40);
	cgroup(&cgroups, 7, "/other", 40);
	cgroup(&cgroups, 8, "/cut", 8 + 3);
	cgroup(&cgroups, 9, "/short", 7);
	is_str(cgroups_path(&cgroups, 1), "/", "the root has a path");
	is_str(cgroups_path(&cgroups, 7), "/system.slice", "of two records of an id the first counts");
	is_str(cgroups_path(&cgroups, 8), "/cu", "a path ends where its record does");
	ok(!cgroups_path(&cgroups, 9), "a record without room for an id has none");
	for (uint64_t id = 100; id < 3000; id++) {
		snprintf(path, sizeof(path), "/%d", (int)id);
		if (cgroups_path(&cgroups, id))
			abort();
		cgroup(&cgroups, id, path, 40);
	}
	is_str(cgroups_path(&cgroups, 2999), "/2999", "of many cgroups, the last one is found");
	cgroups_deinit(&cgroups);
}

static void end_processes(int32_t first, int32_t end)
{
	for (int32_t i = first; i < end; i++) {
		task(PERF_RECORD_FORK, i, i, 1, 1);
		processes_maps(processes, i, i);
		task(PERF_RECORD_EXIT, i, i, 1, 1);
	}
}

/* Maps are freed with their processes, but not at once. */
TEST(test_ended)
{
	struct map map = { .start = 0x1000, .end = 0x2000 };
	struct maps *first, *last, *held = NULL;

	if (processes_create(&processes))
		abort();
	for (int32_t i = 100; i < 5000; i++) {
		task(PERF_RECORD_FORK, i, i, 1, 1);
		error_free(maps_add(processes_maps(processes, i, i), &map));
		comm(i, i, "short");
		if (i == 100)
			held = maps_get(processes_maps(processes, i, i));
		task(PERF_RECORD_EXIT, i, i, 1, 1);
	}
	last = processes_maps(processes, 4999, 4999);
	is_u64(maps_count(last), 1, "a process that has just ended has its maps");
	first = processes_maps(processes, 100, 100);
	is_u64(maps_count(first), 0, "one that ended thousands before has not");
	is_u64(maps_count(held), 1, "a holder of them has them still");
	is_str(processes_comm(processes, 100, 100), "short", "its name stays");
	task(PERF_RECORD_FORK, 4999, 4999, 1, 1);
	error_free(maps_add(processes_maps(processes, 4999, 4999), &map));
	end_processes(5000, 8000);
	is_u64(maps_count(processes_maps(processes, 4999, 4999)), 1,
	       "one that has the number of one that ended keeps its own");
	maps_put(held);
	/* The kernel removes the events of a task that becomes another user's: EXIT, then maps. */
	task(PERF_RECORD_FORK, 90, 90, 1, 1);
	processes_maps(processes, 90, 90);
	task(PERF_RECORD_EXIT, 90, 90, 1, 1);
	error_free(maps_add(processes_maps_to_change(processes, 90, 90), &map));
	end_processes(8000, 11000);
	is_u64(maps_count(processes_maps(processes, 90, 90)), 1, "a task that maps files has not ended");
	processes_destroy(processes);
}

static struct error *count_sample(struct session_consumer *consumer,
				  const struct session_record *r);

static struct counter {
	struct session_consumer consumer;
	int samples;
} counter = { .consumer = { .sample = count_sample } };

static struct error *count_sample(struct session_consumer *consumer,
				  const struct session_record *r)
{
	container_of(consumer, struct counter, consumer)->samples++;
	return NULL;
}

static bool selects(const struct selection *selection, struct session_record r)
{
	struct selector selector;

	selector_init(&selector, selection, &counter.consumer);
	counter.samples = 0;
	error_free(selector.consumer.sample(&selector.consumer, &r));
	return counter.samples == 1;
}

TEST(test_selection)
{
	_cleanup_(selection) struct selection s = { 0 };
	struct session_record r = {
		.pid = 7, .tid = 8, .comm = "ls", .sample = { .cpu = 1, .time = 1500000000 },
	};
	struct event event = { .name = (char *)"e" };
	struct cpumap cpus = { 0 };

	ok(selection_is_everything(&s) && selects(&s, r), "nothing asked: everything");
	s.comms = "lsof,sl,l";
	ok(!selects(&s, r), "another comm, though alike");
	s.comms = "cat,ls";
	ok(selects(&s, r) && !selection_is_everything(&s), "its comm");
	no_error(id_list_parse(&s.tids, "--tid", "9,8"), "threads");
	no_error(id_list_parse(&s.pids, "--pid", "8"), "processes");
	ok(!selects(&s, r), "its thread, but another process");
	r.pid = 8;
	ok(selects(&s, r), "both");
	no_error(cpumap_parse("0,2-3", &cpus), "CPUs");
	s.cpus = &cpus;
	ok(!selects(&s, r), "another CPU");
	r.sample.cpu = -1;
	r.event = &event;
	ok(!selects(&s, r), "an event whose samples have no CPU is refused");
	event.attr.sample_type = PERF_SAMPLE_CPU;
	ok(selects(&s, r), "of another one, a sample without a CPU is not held against it");
	no_error(time_ranges_parse(&s.times, "1.5,1.6 3,", 0, 0), "two ranges");
	ok(selects(&s, r), "the first moment belongs to a range");
	r.sample.time = 1600000000;
	ok(selects(&s, r), "so does the last");
	r.sample.time = 1600000001;
	ok(!selects(&s, r), "the next does not");
	r.sample.time = UINT64_MAX / 2;
	ok(selects(&s, r), "an open end");
	is_error(id_list_parse(&s.tids, "--tid", "1,x"),
		 "--tid takes numbers separated by commas, not '1,x'", "no number");
	cpumap_deinit(&cpus);
}

static bool range_is(const char *text, uint64_t first, uint64_t last, uint64_t start, uint64_t end)
{
	struct time_ranges ranges = { 0 };
	struct error *err = time_ranges_parse(&ranges, text, first, last);
	bool same = !err && ranges.nr == 1 && ranges.items[0].start == start &&
		ranges.items[0].end == end;

	if (!same)
		printf("# %s: %s, %llu to %llu\n", text, err ? err->message : "no error",
		       ranges.nr ? (unsigned long long)ranges.items[0].start : 0,
		       ranges.nr ? (unsigned long long)ranges.items[0].end : 0);
	error_free(err);
	free(ranges.items);
	return same;
}

TEST(test_ranges)
{
	static const char *const bad[] = {
		"", "1", "2,1", "a,b", "1,2,3", "10", "1.2.3,4", "99999999999,",
	};
	struct time_ranges ranges = { 0 };

	ok(range_is("1.000000001,2.5", 0, 0, 1000000001, 2500000000), "seconds with decimals");
	ok(range_is(",3", 0, 0, 0, 3000000000) && range_is("3,", 0, 0, 3000000000, 0),
	   "open ends");
	ok(range_is("10%/1", 1000, 2000, 1000, 1099) && range_is("10%/10", 1000, 2000, 1900, 2000),
	   "tenths share no moment; the last keeps its end");
	ok(range_is("20%-50%", 0, 1000, 200, 499), "a share");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct error *err = time_ranges_parse(&ranges, bad[i], 0, 0);

		ok(err && err->hint, "refused: '%s'", bad[i]);
		error_free(err);
	}
	is_error(time_ranges_parse(&ranges, "10%/2", 0, 0),
		 "--time with % needs the times of the first and last sample, but this recording "
		 "does not hold them", "nobody's shares are unknown");
	is_error(time_ranges_parse(&ranges, "60%/2", 5, 10), "--time cannot be '60%/2'",
		 "more than all");
	free(ranges.items);
}

TAP_MAIN
