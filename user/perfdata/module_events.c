// SPDX-License-Identifier: GPL-2.0
#include "perfdata/module_events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/syscall_strings.h"
#include "format/tracefs.h"
#include "lib/cleanup.h"
#include "perfdata/writer.h"
#include "record/event.h"

/* By this number recordings know the ktrace device (capture/backends.def). */
#define MODULE_SOURCE 1

static struct error *module_event_add(const struct module_event *from, int clockid,
				      const struct tracepoint_name *tracepoint,
				      struct event_list *events)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = from->config,
		.sample_period = 1, .sample_type = from->sample_type,
		.read_format = PERF_FORMAT_ID, .disabled = 1, .sample_id_all = 1,
		.exclude_guest = 1,
		.use_clockid = clockid >= 0, .clockid = clockid >= 0 ? clockid : 0,
	};
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	struct event *event;
	struct error *err;
	size_t len;

	strbuf_addf(&name, "%s:%s", tracepoint->system, tracepoint->name);
	if (name.failed)
		return &error_no_memory;
	err = event_list_add(events, &attr, name.data, &event);
	if (err)
		return err;
	event->source = MODULE_SOURCE;
	err = event_add_id(event, from->id);
	if (!err)
		err = common_layout_set(&event->common, from->fields);
	if (!err && from->user_strings) {
		err = tracefs_event_format(tracepoint->system, tracepoint->name,
					   &event->format_text, &len);
		if (!err)
			err = syscall_strings_add(tracepoint->name, &event->format_text,
						  &event->user_strings);
		if (!err && event->user_strings != from->user_strings)
			err = error_new(ENOTSUP, "%s was recorded with other strings than its "
					"format has", event->name);
	}
	event_finish(event);
	return err;
}

/* The ids of all events that this kernel has; 0: none. */
static uint64_t *read_ids(const struct tracepoint_names *names)
{
	uint64_t *ids = calloc(names->nr + 1, sizeof(*ids));

	for (size_t i = 0; ids && i < names->nr; i++)
		error_free(tracefs_event_id(names->items[i].system, names->items[i].name, &ids[i]));
	return ids;
}

static struct error *module_events_find(const struct module_event *items, size_t nr, int clockid,
					struct event_list *events)
{
	_cleanup_(tracepoint_names) struct tracepoint_names names = { 0 };
	struct error *err = tracefs_find("*", "*", &names);
	_cleanup_free_ uint64_t *ids = NULL;

	if (err)
		return err;
	ids = read_ids(&names);
	if (!ids)
		return &error_no_memory;
	for (size_t i = 0; i < nr && !err; i++) {
		size_t at = 0;

		while (at < names.nr && ids[at] != items[i].config)
			at++;
		if (at == names.nr)
			return error_new(ENOENT, "tracefs has no event with the id %" PRIu64,
					 items[i].config);
		err = module_event_add(&items[i], clockid, &names.items[at], events);
	}
	return err ? err : event_list_index(events);
}

struct error *module_events_describe(const struct module_event *items, size_t nr, int clockid,
				     struct strbuf *ret)
{
	char *argv[] = { "session", NULL };
	const struct writer_info info = {
		.version = KTRACE_VERSION, .argc = 1, .argv = argv, .clockid = clockid,
	};
	const struct clock_pair pair = { 0 };
	struct event_list events;
	struct error *err;

	event_list_init(&events);
	err = module_events_find(items, nr, clockid, &events);
	if (!err)
		err = writer_describe(&events, &info, &pair, ret);
	event_list_deinit(&events);
	return err;
}
