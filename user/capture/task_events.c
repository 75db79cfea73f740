// SPDX-License-Identifier: GPL-2.0
#include "capture/task_events.h"

#include "capture/event_attr.h"

bool task_events_is(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_DUMMY && event->attr.task;
}

struct error *task_events_add(struct event_list *events, const struct capture_config *config)
{
	struct event_attr_options options = {
		.clockid = config->clockid,
		.inherit = config->target.inherit,
		.on_exec = config->target.on_exec,
		.switches = config->switches,
	};
	struct perf_event_attr attr;
	struct event *event;
	struct error *err;

	for (size_t i = 0; i < events->nr; i++)
		if (events->items[i]->attr.read_format & PERF_FORMAT_GROUP)
			options.read_group = true;
	event_attr_init_side_band(&options, &attr);
	err = event_list_add(events, &attr, "dummy:u", &event);
	if (err)
		return err;
	event->source = EVENT_SOURCE_PERF;
	return NULL;
}
