// SPDX-License-Identifier: GPL-2.0
#include "capture/event_filter.h"

#include <stdlib.h>
#include <string.h>

#include "format/syscall_strings.h"
#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/cleanup.h"

void event_filters_deinit(struct event_filters *filters)
{
	for (size_t i = 0; i < filters->nr; i++)
		filter_destroy(filters->items[i]);
	free(filters->items);
	formats_destroy(filters->formats);
	*filters = (struct event_filters){ 0 };
}

/*
 * Read the format of @event, with fields for strings if @strings is set, and add it to the formats.
 */
static struct error *read_format(struct event_filters *filters, struct event *event, bool strings)
{
	_cleanup_free_ char *system = strdup(event->name), *text = NULL;
	struct error *err;
	char *name;
	size_t len;

	if (!system)
		return &error_no_memory;
	name = strchr(system, ':');
	if (!name)
		return error_new(0, "%s is not a tracepoint, so it has no fields to filter on",
				 event->name);
	*name++ = '\0';
	err = tracefs_event_format(system, name, &text, &len);
	if (!err && strings)
		err = syscall_strings_add(name, &text, &event->user_strings);
	if (!err && !filters->formats)
		err = formats_create(&filters->formats);
	if (!err && !formats_find(filters->formats, event->attr.config))
		err = formats_add(filters->formats, system, text, strlen(text));
	if (!err && formats_find(filters->formats, event->attr.config)) {
		free(event->format_text);
		event->format_text = take_ptr(text);
	}
	return err;
}

struct error *event_filters_add_strings(struct event_filters *filters, struct event *event)
{
	if (strncmp(event->name, "syscalls:sys_enter_", 19))
		return NULL;
	return read_format(filters, event, true);
}

struct error *event_filters_format(struct event_filters *filters, struct event *event,
				   const struct event_format **ret)
{
	struct error *err = NULL;

	if (!filters->formats || !formats_find(filters->formats, event->attr.config))
		err = read_format(filters, event, false);
	if (!err)
		*ret = formats_find(filters->formats, event->attr.config);
	return err;
}

struct error *event_filters_add(struct event_filters *filters, struct event *event)
{
	const struct event_format *format;
	struct filter_node *tree;
	struct error *err = event_filters_format(filters, event, &format);

	if (!err)
		err = filter_parse(event->filter, format, &tree);
	if (err)
		return err;
	if (!array_push(filters, tree)) {
		filter_destroy(tree);
		return &error_no_memory;
	}
	event->filter_tree = tree;
	return NULL;
}
