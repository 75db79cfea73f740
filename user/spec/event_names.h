/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of events that are not tracepoints: perf's names for the numbers that
 * perf_event_open() takes.
 */
#ifndef KTRACE_SPEC_EVENT_NAMES_H
#define KTRACE_SPEC_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers that `ktrace stat` measures itself, as no counter has them.  As in perf, the kernel and
 * recordings have a dummy event for them, which only its name distinguishes from other dummies.
 */
enum event_tool {
	EVENT_TOOL_NONE,
	EVENT_TOOL_DURATION,	/* ns during which was counted */
	EVENT_TOOL_USER,	/* ns of the command in user space */
	EVENT_TOOL_SYSTEM,	/* ns of the command in the kernel */
};

struct event_name {
	const char *name;
	const char *alias;	/* a second name; NULL: none */
	uint32_t type;		/* enum perf_type_id: HARDWARE or SOFTWARE */
	uint64_t config;
	enum event_tool tool;
};

/* Hardware, software and tool events, ended by a row without a name. */
extern const struct event_name event_names[];

/* Find an event by name or alias.  Returns NULL if there is none. */
const struct event_name *event_names_find(const char *word);

/* The tool event that an event stands for, by the user's text of it: "user_time:u". */
enum event_tool event_names_tool(uint32_t type, uint64_t config, const char *text);

/* Find a cache event such as "L1-dcache-load-misses".  Returns false if there is none. */
bool event_names_find_cache(const char *word, uint64_t *ret_config);

/*
 * List the cache events in perf's spelling: writes the name with index @index into @buf, or returns
 * false if there are no more.
 */
bool event_names_cache_at(size_t index, char *buf, size_t size);

#endif
