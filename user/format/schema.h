/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a kernel and the layouts of their records, and the differences between two
 * kernels.
 */
#ifndef KTRACE_FORMAT_SCHEMA_H
#define KTRACE_FORMAT_SCHEMA_H

#include <stddef.h>

#include "format/format_files.h"
#include "format/event_format.h"
#include "lib/cleanup.h"
#include "lib/error.h"

struct schema_event {
	const struct event_format *format;
	struct formats *owned;	/* NULL: the format is borrowed */
};

struct schema {
	struct schema_event *items;	/* by system, then name */
	size_t nr, alloc;
};

void schema_deinit(struct schema *schema);
DEFINE_CLEANUP(schema, struct schema, schema_deinit)

/*
 * Read each event once.  Formats that cannot be parsed are left out, and counted in *ret_left_out.
 */
struct error *schema_read_files(const struct format_files *files, struct schema *ret,
				size_t *ret_left_out);

/* Use the formats of a recording, which must outlive the schema. */
struct error *schema_read_formats(const struct formats *formats, struct schema *ret);

/* Find the format of an event; NULL: there is no such event. */
const struct event_format *schema_find(const struct schema *schema, const char *system,
				       const char *name);

enum schema_change_kind {
	EVENT_ADDED, EVENT_REMOVED,
	FIELD_ADDED, FIELD_REMOVED, FIELD_MOVED, FIELD_RETYPED,
};

struct schema_change {
	enum schema_change_kind kind;
	const struct event_format *event;	/* the new one; for removed events, the old one */
	const struct field *from, *to;		/* NULL: there is none */
};

struct schema_changes {
	struct schema_change *items;	/* in the order of events and fields */
	size_t nr, alloc;
};

/* Find the changes from @from to @to; free() ret->items. */
struct error *schema_compare(const struct schema *from, const struct schema *to,
			     struct schema_changes *ret);

#endif
