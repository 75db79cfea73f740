/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of events that are not tracepoints: perf's names for the numbers that
 * perf_event_open() takes.
 */
#ifndef KTRACE_FORMAT_EVENT_NAMES_H
#define KTRACE_FORMAT_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_name {
	const char *name;
	const char *alias;	/* a second name; NULL: none */
	uint32_t type;		/* enum perf_type_id: HARDWARE or SOFTWARE */
	uint64_t config;
};

/* Hardware and software events, ended by a row without a name. */
extern const struct event_name event_names[];

/* Find an event by name or alias.  Returns NULL if there is none. */
const struct event_name *event_names_find(const char *word);

/* Find a cache event such as "L1-dcache-load-misses".  Returns false if there is none. */
bool event_names_find_cache(const char *word, uint64_t *ret_config);

/*
 * List the cache events in perf's spelling: writes the name of number @index into @buf, or
 * returns false if there are no more.
 */
bool event_names_cache_at(size_t index, char *buf, size_t size);

#endif
