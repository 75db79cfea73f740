/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of events that are no tracepoints: perf's words for the numbers
 * of perf_event_open().
 */
#ifndef KTRACE_FORMAT_EVENT_NAMES_H
#define KTRACE_FORMAT_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_name {
	const char *name;
	const char *alias;	/* another word for the same; NULL: none */
	uint32_t type;		/* enum perf_type_id: HARDWARE or SOFTWARE */
	uint64_t config;
};

/* Hardware and software events, ended by a row without a name. */
extern const struct event_name event_names[];

/* By name or alias; NULL: none. */
const struct event_name *event_names_find(const char *word);

/* "L1-dcache-load-misses" and its like; false: no such cache event. */
bool event_names_find_cache(const char *word, uint64_t *ret_config);

/*
 * The cache events, in perf's spelling, for listing: writes the @index'th
 * into @buf; false: there are no more.
 */
bool event_names_cache_at(size_t index, char *buf, size_t size);

#endif
