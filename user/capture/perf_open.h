/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_event_open() with its errors in words.
 */
#ifndef KTRACE_CAPTURE_PERF_OPEN_H
#define KTRACE_CAPTURE_PERF_OPEN_H

#include <sys/types.h>

#include "lib/error.h"
#include "record/event.h"

/*
 * Open @event on @cpu for @pid (-1: all).  *ret is -1 when the task is gone,
 * which is no error.
 */
struct error *perf_open(const struct event *event, pid_t pid, int cpu, int group_fd, int *ret);

/*
 * Let this process have @per_event descriptors for each event, and @more; an error if it
 * may not.
 */
struct error *perf_open_reserve(size_t nr_events, size_t per_event, size_t more);

/* Data pages of a ring when -m says nothing: what perf_event_mlock_kb allows. */
unsigned int perf_open_default_pages(void);

/*
 * The error for rings of @pages pages and @more others for each CPU that are more memory than
 * this user may lock: perf's rules, by which the device goes, too.
 */
struct error *perf_open_locked_memory_error(unsigned int pages, unsigned int more);

/* The error for a ring that could not be mapped. */
struct error *perf_open_map_error(int code, unsigned int pages, uint32_t cpu);

#endif
