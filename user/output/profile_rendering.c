// SPDX-License-Identifier: GPL-2.0
#include "output/profile_rendering.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "record/event.h"
#include "states/wall_time.h"
#include "table/profile/histogram_text.h"

struct profile_rendering {
	struct rendering rendering;
	struct rendering_request request;
	struct profiler *profiler;
	profile_write_fn write;
};

static struct error *finish_profile(struct rendering *rendering)
{
	struct profile_rendering *r = container_of(rendering, struct profile_rendering, rendering);
	const struct profile *profile;
	struct error *err = profiler_settle(r->profiler, &profile);

	return err ? err : r->write(&r->request, profile);
}

static void destroy_profile(struct rendering *rendering)
{
	struct profile_rendering *r = container_of(rendering, struct profile_rendering, rendering);

	profiler_destroy(r->profiler);
	free(r);
}

struct error *profile_rendering_open(const struct rendering_request *request,
				     const struct profile_options *given, profile_write_fn write,
				     struct rendering **ret)
{
	struct profile_rendering *r = calloc(1, sizeof(*r));
	struct profile_options options = *given;
	struct error *err;

	if (!r)
		return &error_no_memory;
	r->request = *request;
	r->write = write;
	if (request->report)
		options.no_inline = request->report->histogram.no_inline;
	err = profiler_create(&options, &r->profiler);
	if (err) {
		free(r);
		return err;
	}
	r->rendering = (struct rendering){
		.consumer = profiler_consumer(r->profiler), .finish = finish_profile,
		.destroy = destroy_profile,
	};
	*ret = &r->rendering;
	return NULL;
}

uint32_t *profile_parents(const struct profile *profile)
{
	uint32_t *parents = calloc(profile->nodes.nr + 1, sizeof(*parents));

	for (size_t i = 1; parents && i < profile->nodes.nr; i++) {
		uint32_t depth = profile->nodes.items[i].depth, above = i - 1;

		while (profile->nodes.items[above].depth >= depth)
			above = parents[above];
		parents[i] = above;
	}
	return parents;
}

void profile_add_name(struct strbuf *out, const struct profile_function *function,
		      const char *reserved)
{
	const char *name = function->kind == PROFILE_REST ? "(too small to show)" : function->name;

	for (; *name; name++)
		strbuf_addch(out, strchr(reserved, *name) || *name == '\n' || *name == '\r' ?
				  '_' : *name);
	if (function->kind == PROFILE_KERNEL)
		strbuf_addstr(out, "_[k]");
	else if (function->kind == PROFILE_INLINED)
		strbuf_addstr(out, "_[i]");
}

struct error *profile_only_event(const struct profile *profile, const char *format,
				 size_t *ret_event)
{
	size_t nr = 0;

	*ret_event = 0;
	for (size_t i = 0; i < profile->events.nr; i++) {
		if (!profile->events.items[i].samples)
			continue;
		*ret_event = i;
		nr++;
	}
	if (nr <= 1)
		return NULL;
	return error_hint(error_new(EINVAL, "'--to %s' holds one event, and the recording has "
				    "samples of %zu", format, nr),
			  "--event NAME chooses one; 'ktrace evlist' lists them");
}

const char *profile_unit(const struct rendering_request *request, size_t event)
{
	const struct perf_event_attr *attr;
	bool is_clock;

	if (event >= request->events->nr)
		return "ns";
	attr = &request->events->items[event]->attr;
	is_clock = attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						     attr->config == PERF_COUNT_SW_TASK_CLOCK);

	return is_clock || !strcmp(request->events->items[event]->name, WALL_TIME_EVENT) ?
	       "ns" : "";
}

const char *profile_event_name(const struct rendering_request *request,
			       const struct profile *profile, size_t event)
{
	if (event < profile->waits)
		return request->events->items[event]->name;
	return event == profile->waits ? "off-CPU: blocked" : "off-CPU: waiting for a CPU";
}
