/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A monitor is an automaton that is bound to the tracepoints of a kernel or a recording: a program
 * (machine/program.h), and the names of its states and events.
 */
#ifndef KTRACE_MACHINE_MONITOR_H
#define KTRACE_MACHINE_MONITOR_H

#include <stdbool.h>
#include <stddef.h>

#include "format/event_format.h"
#include "lib/array.h"
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
	ARRAY_OF(char *) states;	/* names by number, owned */
	ARRAY_OF(char *) sources;	/* names of their events, owned */
	/* By the event number in sources. */
	ARRAY_OF(const struct event_format *) events;
	bool of_others;		/* keys are other tasks than the firing ones */
};

/* Finds the formats of tracepoints. */
struct monitor_formats {
	/* NULL: the tracepoint does not exist. */
	const struct event_format *(*find)(void *data, const char *system, const char *event);
	void *data;
};

/*
 * Append the tracepoints of @binding that @formats lacks, as "a:b, c:d"; nothing: the monitor can
 * run.  A "lacks" line of the binding is appended with its reason.
 */
void monitor_add_missing(const struct binding *binding, const struct monitor_formats *formats,
			 struct strbuf *out);

/*
 * Compile the program.  Formats must outlive @ret.  ENODATA: something is missing, see
 * monitor_add_missing(); EINVAL: automaton and binding do not match, or one of them does not match
 * the formats.
 */
struct error *monitor_compile(const char *name, const struct automaton *automaton,
			      const struct binding *binding, const struct monitor_formats *formats,
			      struct monitor **ret);
void monitor_destroy(struct monitor *monitor);
DEFINE_CLEANUP_PTR(monitor, struct monitor, monitor_destroy)

/* Append a key: "7", "0/3" for the idle task of CPU 3, "1,2" for fields, nothing for no key. */
void monitor_add_key(const struct monitor *monitor, const uint64_t *key, struct strbuf *out);

#endif
