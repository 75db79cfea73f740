/* SPDX-License-Identifier: GPL-2.0 */
/* One event, "test:one", whose samples have an id and a time. */
#ifndef KTRACE_TESTS_UNIT_ONE_EVENT_H
#define KTRACE_TESTS_UNIT_ONE_EVENT_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>

#include "record/event.h"

struct test_sample {
	struct perf_event_header header;
	uint64_t id, time;
};

/* Its id is 7; @type is that of its attr. */
static inline void make_one_event(struct event_list *events, uint32_t type)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME, .sample_id_all = 1,
	};
	struct event *event;

	event_list_init(events);
	if (event_list_add(events, &attr, "test:one", &event) || event_add_id(event, 7))
		exit(1);
	event_finish(event);
	if (event_list_index(events))
		exit(1);
}

#endif
