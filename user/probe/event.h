/* SPDX-License-Identifier: GPL-2.0 */
/* A probe event in the kernel's form: a line of tracefs' kprobe_events or uprobe_events. */
#ifndef KTRACE_PROBE_EVENT_H
#define KTRACE_PROBE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"

struct probe_event_arg {
	char *name;	/* NULL: the kernel calls it arg1, arg2 ... */
	char *value;
	char *type;	/* NULL: the kernel's default, x64 */
};

struct probe_event {
	char *group, *name;
	char *binary;		/* of uprobes: the path; of kprobes: the module, or NULL */
	char *symbol;		/* of kprobes */
	char *function;		/* the function that contains the location; NULL: unknown */
	uint64_t offset;	/* in the file, or behind the symbol */
	uint64_t reference;	/* offset of the marker's count of users; 0: none */
	bool is_user, is_return;
	ARRAY_OF(struct probe_event_arg) args;
};

struct probe_events {
	struct probe_event *items;
	size_t nr, alloc;
};

void probe_event_deinit(struct probe_event *event);
void probe_events_deinit(struct probe_events *events);
DEFINE_CLEANUP(probe_event, struct probe_event, probe_event_deinit)
DEFINE_CLEANUP(probe_events, struct probe_events, probe_events_deinit)

/* Append an argument; the strings are copied.  A number is appended to a name in use. */
struct error *probe_event_add_arg(struct probe_event *event, const char *name, const char *value,
				  const char *type);

/* Append the definition in the form for tracefs, without a line end. */
void probe_event_add_text(const struct probe_event *event, struct strbuf *out);

/* Parse a line of one of the files; fuzzed. false: it is not an event of a known kind. */
bool probe_event_parse(const char *line, struct probe_event *ret);

/* Whether "[GROUP:]EVENT" names the event; both parts may be globs. */
bool probe_name_matches(const char *group, const char *event, const char *text);

#endif
