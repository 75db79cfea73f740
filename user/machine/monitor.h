/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A monitor is an automaton that is bound to the tracepoints of a kernel or a recording: a
 * program (machine/program.h), and the names of what is in it.
 */
#ifndef KTRACE_MACHINE_MONITOR_H
#define KTRACE_MACHINE_MONITOR_H

#include <stdbool.h>
#include <stddef.h>

#include "format/event_format.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "machine/automaton.h"
#include "machine/binding.h"
#include "machine/program.h"

struct monitor {
	char *name;
	struct ktrace_machine *program;	/* owned */
	struct machine_view view;	/* of it */
	struct { char **items; size_t nr, alloc; } states;	/* names by number, owned */
	struct { char **items; size_t nr, alloc; } sources;	/* names of their events, owned */
	/* By the number of an event in sources. */
	struct { const struct event_format **items; size_t nr, alloc; } events;
	bool of_others;		/* keys are tasks other than those that fire the events */
};

/* Where the formats of tracepoints are. */
struct monitor_formats {
	/* NULL: the tracepoint is not there. */
	const struct event_format *(*find)(void *data, const char *system, const char *event);
	void *data;
};

/*
 * Append what @binding needs and @formats does not have, as "a:b, c:d"; nothing: it runs.  What
 * it lacks everywhere is named with the reason.
 */
void monitor_add_missing(const struct binding *binding, const struct monitor_formats *formats,
			 struct strbuf *out);

/*
 * Make the program.  Formats must live as long as @ret.  ENODATA: something is missing, as
 * monitor_add_missing() says; EINVAL: automaton and binding do not fit, or one of them the
 * formats.
 */
struct error *monitor_compile(const char *name, const struct automaton *automaton,
			      const struct binding *binding, const struct monitor_formats *formats,
			      struct monitor **ret);
void monitor_destroy(struct monitor *monitor);
DEFINE_CLEANUP_PTR(monitor, struct monitor, monitor_destroy)

/* Append a key: "7", "0/3" for the idle task of CPU 3, "1,2" for fields, nothing for no key. */
void monitor_add_key(const struct monitor *monitor, const uint64_t *key, struct strbuf *out);

#endif
