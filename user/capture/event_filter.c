// SPDX-License-Identifier: GPL-2.0
#include "capture/event_filter.h"

#include <string.h>

#include "format/tracefs.h"
#include "lib/cleanup.h"

void event_filter_deinit(struct event_filter *filter)
{
	filter_destroy(filter->tree);
	formats_destroy(filter->formats);
	*filter = (struct event_filter){ 0 };
}

struct error *event_filter_init(const struct event *event, struct event_filter *ret)
{
	_cleanup_(event_filter) struct event_filter filter = { 0 };
	_cleanup_free_ char *system = strdup(event->name), *text = NULL;
	struct error *err;
	char *name;
	size_t len;

	if (!system)
		return &error_no_memory;
	name = strchr(system, ':');
	if (!name)
		return error_new(0, "%s is no tracepoint and has no fields to filter", event->name);
	*name++ = '\0';
	err = tracefs_event_format(system, name, &text, &len);
	if (!err)
		err = formats_create(&filter.formats);
	if (!err)
		err = formats_add(filter.formats, system, text, len);
	if (!err)
		err = filter_parse(event->filter, formats_find(filter.formats, event->attr.config),
				   &filter.tree);
	if (err)
		return err;
	*ret = filter;
	filter = (struct event_filter){ 0 };
	return NULL;
}
