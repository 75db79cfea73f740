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
 * Open @event on @cpu for @pid (-1: all tasks).  *ret is -1 if the task has ended, which is
 * no error.
 */
struct error *perf_open(const struct event *event, pid_t pid, int cpu, int group_fd, int *ret);

/*
 * As perf_open().  With kernel.perf_event_paranoid=2, users may observe their own tasks, but
 * not in the kernel.  As perf does, we then open @event without the kernel, and its attr and
 * name say so.
 */
struct error *perf_open_permitted(struct event *event, pid_t pid, int cpu, int group_fd, int *ret);

/*
 * Raise the limit of this process so that it can open @per_event descriptors for each event,
 * and @more others.  Returns an error if it may not.
 */
struct error *perf_open_reserve(size_t nr_events, size_t per_event, size_t more);

/*
 * Returns the number of data pages of a ring if -m is not given, which is what
 * perf_event_mlock_kb allows.
 */
unsigned int perf_open_default_pages(void);

/*
 * Returns the number of data pages of each of @nr_rings rings if -m is not given and samples have
 * copies of stacks: at 4000 samples/s of 8 KiB, 8 MiB are full after a quarter of a second, for
 * which a busy machine keeps the recorder from running, and 512 KiB after 16 ms.  All rings
 * together take 64 MiB at most, unless perf_open_default_pages() gives more.
 */
unsigned int perf_open_stack_pages(size_t nr_rings);

/*
 * Returns the error for rings of @pages data pages and @more other pages for each CPU, if
 * that is more memory than this user may lock.  The device follows perf's rules for this,
 * too.
 */
struct error *perf_open_locked_memory_error(unsigned int pages, unsigned int more);

/* Returns the error for a ring that could not be mapped; @cpu UINT32_MAX: that of a task. */
struct error *perf_open_map_error(int code, unsigned int pages, uint32_t cpu);

#endif
