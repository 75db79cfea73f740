// SPDX-License-Identifier: GPL-2.0
#include "perfdata/module_events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/syscall_strings.h"
#include "format/tracefs.h"
#include "lib/cleanup.h"
#include "perfdata/tracing_data.h"
#include "perfdata/write/description.h"
#include "perfdata/write/writer.h"
#include "record/event.h"
#include "record/registers.h"

static struct error *module_event_add(const struct module_event *from, int clockid,
				      const struct tracepoint_name *tracepoint, bool from_tracefs,
				      struct event_list *events)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = from->config,
		.sample_period = 1, .sample_type = from->sample_type,
		/* KTRACE_SAMPLE_REGS_USER */
		.sample_regs_user = from->sample_type & PERF_SAMPLE_REGS_USER ?
				    1ULL << REGISTER_ARM64_LR : 0,
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
	event->source = EVENT_SOURCE_DEVICE;
	err = event_add_id(event, from->id);
	if (!err)
		err = common_layout_set(&event->common, from->fields);
	event->user_strings = from->user_strings;
	if (!err && from->user_strings && from_tracefs) {
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

/* Events are known by numbers, which are valid only for the kernel that the formats are from. */
static struct error *check_name(const struct module_event *from,
				const struct tracepoint_name *found)
{
	const char *colon = from->name ? strchr(from->name, ':') : NULL;

	if (!found)
		return error_new(ENOENT, "%s, the event %" PRIu64 " of its kernel, has no format here",
				 from->name ? from->name : "A nameless event", from->config);
	if (!colon || (!strncmp(found->system, from->name, colon - from->name) &&
		       !found->system[colon - from->name] && !strcmp(found->name, colon + 1)))
		return NULL;
	return error_new(ENOENT, "The event %" PRIu64 ", which was %s, is %s:%s here", from->config,
			 from->name, found->system, found->name);
}

static struct error *find_in_tracefs(const struct module_event *items, size_t nr, int clockid,
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
		err = check_name(&items[i], at < names.nr ? &names.items[at] : NULL);
		if (!err)
			err = module_event_add(&items[i], clockid, &names.items[at], true, events);
	}
	return err;
}

static struct error *find_in_recording(const struct module_event *items, size_t nr, int clockid,
				       const struct description *like, struct event_list *events)
{
	const struct strbuf *data = &like->features[FEATURE_TRACING_DATA];
	_cleanup_(formats) struct formats *formats = NULL;
	struct error *err = formats_create(&formats);
	size_t skipped;

	if (!err)
		err = tracing_data_parse(formats, data->data, data->len, &skipped);
	for (size_t i = 0; i < nr && !err; i++) {
		const struct event_format *format = formats_find(formats, items[i].config);
		struct tracepoint_name name = { 0 };

		if (format)
			name = (struct tracepoint_name){
				.system = (char *)format->system, .name = (char *)format->name,
			};
		err = check_name(&items[i], format ? &name : NULL);
		if (!err)
			err = module_event_add(&items[i], clockid, &name, false, events);
	}
	return err;
}

struct error *module_events_describe(const struct module_event *items, size_t nr, int clockid,
				     const struct description *like, struct strbuf *ret)
{
	char *argv[] = { "session", NULL };
	const struct writer_info info = {
		.version = KTRACE_VERSION, .argc = 1, .argv = argv, .clockid = clockid,
		.tracing_data = like ? &like->features[FEATURE_TRACING_DATA] : NULL,
	};
	const struct clock_pair pair = { 0 };
	struct event_list events;
	struct error *err;

	event_list_init(&events);
	err = like ? find_in_recording(items, nr, clockid, like, &events) :
		     find_in_tracefs(items, nr, clockid, &events);
	if (!err)
		err = event_list_index(&events);
	if (!err)
		err = writer_describe(&events, &info, &pair, ret);
	event_list_deinit(&events);
	return err;
}
