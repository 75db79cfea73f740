// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/script/schema_source.h"
#include "format/schema.h"
#include "lib/log.h"
#include "terminal/options.h"
#include "terminal/pager.h"

/* As diff. */
#define STATUS_DIFFERENT 1
#define STATUS_TROUBLE 2

static void print_field(const char *what, const struct field *field)
{
	printf("    %s %s %s  (offset %u, %u bytes, %s)\n", what, field->type, field->name,
	       field->offset, field->size, field->is_signed ? "signed" : "unsigned");
}

static void print_retyped(const struct field *from, const struct field *to)
{
	printf("    retyped %s: %s of %u bytes, %s, offset %u -> %s of %u bytes, %s, offset %u\n",
	       to->name, from->type, from->size, from->is_signed ? "signed" : "unsigned",
	       from->offset, to->type, to->size, to->is_signed ? "signed" : "unsigned",
	       to->offset);
}

static void print_change(const struct schema_change *c, const struct event_format *before)
{
	if (c->event != before)
		printf("%c %s:%s\n", c->kind == EVENT_ADDED ? '+' : c->kind == EVENT_REMOVED ?
		       '-' : '!', c->event->system, c->event->name);
	switch (c->kind) {
	case FIELD_ADDED:
		print_field("added  ", c->to);
		break;
	case FIELD_REMOVED:
		print_field("removed", c->from);
		break;
	case FIELD_MOVED:
		printf("    moved   %s: offset %u -> %u\n", c->to->name, c->from->offset,
		       c->to->offset);
		break;
	case FIELD_RETYPED:
		print_retyped(c->from, c->to);
		break;
	default:
		break;
	}
}

static void print_changes(const struct schema_changes *changes)
{
	size_t added = 0, removed = 0, changed = 0;
	const struct event_format *before = NULL;

	pager_start();
	for (size_t i = 0; i < changes->nr; i++) {
		const struct schema_change *c = &changes->items[i];

		print_change(c, before);
		added += c->kind == EVENT_ADDED;
		removed += c->kind == EVENT_REMOVED;
		changed += c->kind != EVENT_ADDED && c->kind != EVENT_REMOVED &&
			c->event != before;
		before = c->event;
	}
	printf("%zu event%s added, %zu removed, %zu changed\n", added, added == 1 ? "" : "s",
	       removed, changed);
}

/*
 * Keep only the changes of the selected events.  A recording has formats only of recorded events,
 * so an event that only the other schema has was neither added nor removed.
 */
static void select_changes(struct schema_changes *changes, char *const *globs, bool no_added,
			   bool no_removed)
{
	size_t nr = 0;

	for (size_t i = 0; i < changes->nr; i++) {
		const struct schema_change *c = &changes->items[i];

		if (!(c->kind == EVENT_ADDED && no_added) &&
		    !(c->kind == EVENT_REMOVED && no_removed) &&
		    format_files_named(globs, c->event->system, c->event->name))
			changes->items[nr++] = *c;
	}
	changes->nr = nr;
}

static struct error *diff(char **words, int *ret_status)
{
	_cleanup_(schema_source) struct schema_source from = { 0 }, to = { 0 };
	struct schema_changes changes = { 0 };
	struct error *err;

	err = schema_source_open(words[0], &from);
	if (!err)
		err = schema_source_open(words[1], &to);
	if (!err)
		err = schema_compare(&from.schema, &to.schema, &changes);
	if (err) {
		error_report(err);
		*ret_status = STATUS_TROUBLE;
		return NULL;
	}
	select_changes(&changes, words + 2, from.reader, to.reader);
	print_changes(&changes);
	*ret_status = changes.nr ? STATUS_DIFFERENT : 0;
	free(changes.items);
	return NULL;
}

struct error *cmd_schema(int argc, char **argv, int *ret_status)
{
	const struct option_spec options[] = { { 0 } };
	const struct command_usage usage = {
		.name = "schema",
		.synopsis = "diff FROM TO [EVENT...]",
		.details = "; FROM and TO are each live "
			   "(this kernel), a recording, or a folder of format files",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (argc - index < 3 || strcmp(argv[index], "diff"))
		return error_hint(error_new(EINVAL, "schema takes 'diff' and two kernels or "
					    "recordings to compare"),
				  "As in 'ktrace schema diff perf.data live'");
	return diff(argv + index + 1, ret_status);
}
