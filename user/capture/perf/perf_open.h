/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls perf_event_open() and explains its errors.
 */
#ifndef KTRACE_CAPTURE_PERF_PERF_OPEN_H
#define KTRACE_CAPTURE_PERF_PERF_OPEN_H

#include <sys/types.h>

#include "lib/error.h"
#include "record/event.h"

/*
 * Open @event on @cpu for @pid (-1: all tasks).  *ret is -1 if the task has ended, which is no
 * error.
 */
struct error *perf_open(const struct event *event, pid_t pid, int cpu, int group_fd, int *ret);

/*
 * As perf_open().  With kernel.perf_event_paranoid=2, users may observe their own tasks, but not in
 * the kernel.  As in perf, @event is then opened without the kernel, and its attr and name are
 * changed accordingly.
 */
struct error *perf_open_permitted(struct event *event, pid_t pid, int cpu, int group_fd, int *ret);

/*
 * Raise the limit of this process so that it can open @per_event descriptors for each event, and
 * @more others.  Returns an error if that is not permitted.
 */
struct error *perf_open_reserve(size_t nr_events, size_t per_event, size_t more);

/*
 * Returns the number of data pages of a ring if -m is not given, which is the maximum under
 * perf_event_mlock_kb.
 */
unsigned int perf_open_default_pages(void);

/*
 * Returns the number of data pages of each of @nr_rings rings if -m is not given and samples have
 * copies of stacks.  At 4000 samples/s of 8 KiB, 8 MiB last for a quarter of a second, and 512 KiB
 * for 16 ms.  A busy machine keeps the recorder from running for as long as a quarter of a second.
 * All rings together take 64 MiB at most, unless perf_open_default_pages() is larger.
 */
unsigned int perf_open_stack_pages(size_t nr_rings);

/*
 * Returns the error for rings of @pages data pages and @more other pages for each CPU, if that is
 * more memory than this user may lock.  The device follows perf's rules for this, too.
 */
struct error *perf_open_locked_memory_error(unsigned int pages, unsigned int more);

/* Returns the error for a ring that could not be mapped; @cpu UINT32_MAX: a ring of a task. */
struct error *perf_open_map_error(int code, unsigned int pages, uint32_t cpu);

#endif
