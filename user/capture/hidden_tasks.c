// SPDX-License-Identifier: GPL-2.0
#include "capture/hidden_tasks.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/feature.h"
#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/cleanup.h"

/* The number of checks whether a thread has run, and the time between them. */
#define LOOKS 100
#define LOOK_NS (10 * 1000 * 1000)

/* A thread's switches, counted by the scheduler itself and by its tracepoint. */
struct counted_thread {
	int firings, switches;		/* descriptors */
};

struct counted_threads {
	struct counted_thread *items;
	size_t nr, alloc;
};

static void counted_threads_deinit(struct counted_threads *threads)
{
	for (size_t i = 0; i < threads->nr; i++) {
		close(threads->items[i].switches);
		close(threads->items[i].firings);
	}
	free(threads->items);
}
DEFINE_CLEANUP(counted_threads, struct counted_threads, counted_threads_deinit)

static void count_thread(struct counted_threads *threads, pid_t tid, uint64_t sched_switch)
{
	struct perf_event_attr by_scheduler = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(by_scheduler),
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	};
	struct perf_event_attr by_tracepoint = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(by_tracepoint),
		.config = sched_switch,
	};
	struct counted_thread thread = {
		/*
		 * The tracepoint comes first, so that it misses no switch that the other event
		 * counts.
		 */
		feature_perf_event_open(&by_tracepoint, tid, -1, -1, 0),
		feature_perf_event_open(&by_scheduler, tid, -1, -1, 0),
	};

	if (thread.switches >= 0 && thread.firings >= 0 && array_push(threads, thread))
		return;
	if (thread.switches >= 0)
		close(thread.switches);
	if (thread.firings >= 0)
		close(thread.firings);
}

static void count_first_process(struct counted_threads *threads)
{
	struct dirent *entry;
	uint64_t id;
	DIR *folder;
	struct error *err = tracefs_event_id("sched", "sched_switch", &id);

	if (err) {
		error_free(err);
		return;
	}
	folder = opendir("/proc/1/task");
	if (!folder)
		return;
	while ((entry = readdir(folder)) != NULL)
		if (*entry->d_name != '.')
			count_thread(threads, strtol(entry->d_name, NULL, 10), id);
	closedir(folder);
}

static uint64_t read_count(int fd)
{
	uint64_t count;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

/* Process 1 reaps tasks whose parents have ended. */
static void make_it_run(void)
{
	pid_t child = fork();

	if (!child) {
		fork();
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

/* The tracepoint fires before the scheduler counts, so it is read last. */
static enum hidden_tasks look_at_threads(const struct counted_threads *threads)
{
	enum hidden_tasks found = HIDDEN_UNKNOWN;

	for (size_t i = 0; i < threads->nr; i++) {
		if (!read_count(threads->items[i].switches))
			continue;
		if (!read_count(threads->items[i].firings))
			return HIDDEN_FIRST_PROCESS;
		found = HIDDEN_NONE;
	}
	return found;
}

enum hidden_tasks hidden_tasks_find(void)
{
	static const struct timespec pause = { .tv_nsec = LOOK_NS };
	_cleanup_(counted_threads) struct counted_threads threads = { 0 };
	enum hidden_tasks found = HIDDEN_UNKNOWN;

	count_first_process(&threads);
	if (threads.nr)
		make_it_run();
	for (size_t i = 0; threads.nr && !found && i < LOOKS; i++) {
		nanosleep(&pause, NULL);
		found = look_at_threads(&threads);
	}
	return found;
}
