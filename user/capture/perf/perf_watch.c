// SPDX-License-Identifier: GPL-2.0
#include "capture/perf/perf_capture.h"

#include <stdlib.h>
#include <unistd.h>

#include "capture/feature.h"
#include "lib/cleanup.h"
#include "lib/log.h"

/* Open an event whose time stops when its CPU loses its perf events. */
static int open_clock(uint32_t cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
	};

	return feature_perf_event_open(&attr, -1, cpu, -1, 0);
}

/* Returns the time of the event, or 0 if there is no event. */
static uint64_t read_clock(int fd)
{
	uint64_t words[2] = { 0 };

	return fd >= 0 && read(fd, words, sizeof(words)) == sizeof(words) ? words[1] : 0;
}

struct error *perf_watch_init(struct perf_watch *w, const struct capture_target *target,
			      bool whole_cpus)
{
	size_t nr = target->cpus->nr;

	*w = (struct perf_watch){ .target = target };
	w->missed = calloc(nr, sizeof(*w->missed));
	w->fds = whole_cpus ? malloc(nr * sizeof(*w->fds)) : NULL;
	if (!w->missed || (whole_cpus && !w->fds))
		return &error_no_memory;
	for (size_t i = 0; w->fds && i < nr; i++)
		w->fds[i] = -1;
	for (size_t i = 0; w->fds && i < nr; i++) {
		w->fds[i] = open_clock(target->cpus->cpus[i]);
		if (w->fds[i] < 0)
			return error_errno(-w->fds[i], "Cannot watch whether CPU %u stays online",
					   target->cpus->cpus[i]);
	}
	return NULL;
}

void perf_watch_deinit(struct perf_watch *w)
{
	for (size_t i = 0; w->fds && i < w->target->cpus->nr; i++)
		if (w->fds[i] >= 0)
			close(w->fds[i]);
	free(w->fds);
	free(w->missed);
	cpumap_deinit(&w->came);
	*w = (struct perf_watch){ 0 };
}

/* CPUs that are offline again by now are not noticed; little can have run there. */
static void look_for_new(struct perf_watch *w)
{
	struct cpumap online = { 0 };
	struct error *err = w->target->hotplug ? cpumap_online(&online) : NULL;
	size_t nr = 0;

	error_free(err);
	for (size_t i = 0; !err && i < online.nr; i++) {
		uint32_t cpu = online.cpus[i];

		if (cpumap_has(w->target->cpus, cpu))
			continue;
		if (!cpumap_has(&w->came, cpu))
			log_warning("CPU %u came online while recording: perf_event has recorded "
				    "nothing on it.", cpu);
		online.cpus[nr++] = cpu;
	}
	online.nr = nr;
	cpumap_deinit(&w->came);
	w->came = online;
}

void perf_watch_look(struct perf_watch *w)
{
	if (!w->target)
		return;
	for (size_t i = 0; w->fds && i < w->target->cpus->nr; i++) {
		uint64_t before = read_clock(w->fds[i]);

		if (w->missed[i] || read_clock(w->fds[i]) != before)
			continue;
		w->missed[i] = true;
		log_warning("CPU %u went offline while recording: perf_event has recorded nothing "
			    "on it from then on.", w->target->cpus->cpus[i]);
	}
	look_for_new(w);
}
