// SPDX-License-Identifier: GPL-2.0
#include "capture/task_events.h"

#include "capture/cgroup.h"
#include "capture/event_attr.h"
#include "lib/array.h"
#include "lib/log.h"
#include "record/common_field.h"
#include "record/common_number.h"

bool task_events_is(const struct event *event)
{
	return event_is_dummy(event) && event->attr.task;
}

/* Stacks are in maps without code, and so is data that addresses in samples refer to. */
bool task_events_need_data(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->items[i]->attr.sample_type &
		    (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_ADDR))
			return true;
	return false;
}

bool task_events_have_namespaces(const struct event_list *events)
{
	return array_any(events, it, (*it)->attr.namespaces);
}

static bool have_cgroup_field(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (common_layout_mask(&events->items[i]->common) & 1ULL << COMMON_FIELD_CGROUP)
			return true;
	return false;
}

bool task_events_have_cgroups(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->items[i]->attr.cgroup)
			return true;
	return have_cgroup_field(events) && cgroup_is_unified();
}

bool task_events_have_build_ids(const struct event_list *events)
{
	return array_any(events, it, (*it)->attr.build_id);
}

/* Whether it is the only recorded event (KTRACE_SAMPLE_TYPE_ALONE). */
static bool is_without_ids(const struct event *event)
{
	return event->is_compact && !(event->attr.sample_type & PERF_SAMPLE_IDENTIFIER);
}

static struct event_attr_options options_of(const struct event_list *events,
					    const struct capture_config *config)
{
	struct event_attr_options options = {
		.clockid = config->clockid,
		.inherit = config->target.inherit,
		.on_exec = config->target.on_exec,
		.switches = config->switches,
		.namespaces = config->namespaces,
		.cgroups = config->cgroups || task_events_have_cgroups(events),
		.no_bpf = config->no_bpf,
		.build_ids = config->build_ids,
		.data_maps = task_events_need_data(events),
	};

	options.alone = events->nr == 1 && is_without_ids(events->items[0]);
	for (size_t i = 0; i < events->nr; i++) {
		uint64_t format = events->items[i]->attr.read_format;

		options.read_group |= (format & PERF_FORMAT_GROUP) != 0;
		options.thread_counts |= (format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0;
	}
	return options;
}

struct error *task_events_add(struct event_list *events, const struct capture_config *config)
{
	struct event_attr_options options = options_of(events, config);
	struct perf_event_attr attr;
	struct event *event;

	if (have_cgroup_field(events) && !options.cgroups)
		log_notice("Cgroups are recorded without their paths: perf_event has a hierarchy of "
			   "its own here (cgroup v1).");
	event_attr_init_side_band(&options, &attr);
	/* A new event belongs to perf_event. */
	return event_list_add(events, &attr, "dummy:u", &event);
}

/* Whether the event exists during the whole recording, for every recorded task. */
static bool can_tell(const struct event *event, const struct capture_config *config)
{
	return event->source == EVENT_SOURCE_PERF && !event->optional &&
		event->attr.disabled && !event->attr.pinned &&
		!event->is_tried && !event->replaces &&
		event->attr.inherit == config->target.inherit;
}

struct event *task_events_join(struct event_list *events, const struct capture_config *config)
{
	struct event_attr_options options = options_of(events, config);
	struct event *own = events->items[events->nr - 1];

	for (size_t i = 0; !config->overwrite && i + 1 < events->nr; i++) {
		struct event *event = events->items[i];

		if (!can_tell(event, config))
			continue;
		event_attr_add_side_band(&options, &event->attr);
		event_list_remove(events, own);
		return event;
	}
	return NULL;
}

static void copy_side_band(const struct perf_event_attr *from, struct perf_event_attr *to)
{
	to->mmap = from->mmap;
	to->mmap2 = from->mmap2;
	to->mmap_data = from->mmap_data;
	to->comm = from->comm;
	to->comm_exec = from->comm_exec;
	to->task = from->task;
	to->context_switch = from->context_switch;
	to->ksymbol = from->ksymbol;
	to->bpf_event = from->bpf_event;
	to->namespaces = from->namespaces;
	to->cgroup = from->cgroup;
	to->build_id = from->build_id;
}

struct error *task_events_carry(const struct event_list *events, struct event_list *ret)
{
	const struct event *only = events->nr ? events->items[0] : NULL;
	struct error *err = NULL;
	struct event *event;

	if (events->nr < 2 || !is_without_ids(only))
		return NULL;
	err = event_list_add_copy(ret, only, &event);
	for (size_t i = 0; i < events->nr && !err; i++) {
		const struct event *from = events->items[i];

		if (task_events_is(from))
			copy_side_band(&from->attr, &event->attr);
		for (size_t n = 0; n < from->nr_ids && !err; n++)
			err = event_add_id(event, from->ids[n]);
	}
	return err ? err : event_list_index(ret);
}
