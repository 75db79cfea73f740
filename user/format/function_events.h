/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries and returns of kernel functions, as events that tracefs does not have.  The ktrace module
 * records them (KTRACE_EVENT_FUNCTION).  Each has the name, the fields and the text of the kprobe
 * or kretprobe that tracefs would have for it, in the system "f" or "k".  So it can be replaced by
 * that probe where the module does not record it.  tracefs.h finds them by name.
 */
#ifndef KTRACE_FORMAT_FUNCTION_EVENTS_H
#define KTRACE_FORMAT_FUNCTION_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/function_args.h"
#include "lib/error.h"

#define FUNCTION_EVENTS_SYSTEM "f"

/* The most events of a process: samples have no room for larger numbers. */
#define FUNCTION_EVENTS_MAX 8192

/* As in a line of tracefs' kprobe_events. */
struct function_event_arg {
	char *name;		/* "count" */
	char *value;		/* "%dx" */
	char *type;		/* "u64"; NULL: x64 */
};

struct function_event {
	const char *system;	/* static string */
	char *name;		/* "vfs_read", "vfs_read__return" */
	char *function;		/* the kernel's name: "vfs_read", "walk.isra.0" */
	uint64_t address;
	uint64_t number;	/* of attr.config; no event of the kernel has it */
	bool at_return;
	bool is_probe;		/* it was replaced by a probe, and is not found any more */
	/* NULL: an entry has no fields, and a return only its value, as "ret". */
	struct function_event_arg *args;
	struct function_arg *fetched;	/* the same for the module */
	size_t nr_args;
};

/* Whether the module can read these arguments. */
bool function_events_take(const struct function_event_arg *args, size_t nr);

/*
 * Add the entry or return of a function.  @what has the members that the caller knows; they are
 * copied.  Without a name it gets that of the function.  If a name is used already, a number is
 * appended, as in vfs_read_1.  function_events_take() must be true for the arguments.  The event
 * lives as long as the process.
 */
struct error *function_events_add(const struct function_event *what,
				  const struct function_event **ret);

/* Return the event with the number of an attr, or of this name; or NULL. */
const struct function_event *function_events_find(uint64_t number);
const struct function_event *function_events_named(const char *system, const char *name);

/* An event whose format has the common fields of all events. */
#define FUNCTION_MODEL_SYSTEM	"sched"
#define FUNCTION_MODEL_NAME	"sched_switch"

/* Build the text of its format file; free() it.  @model is the format of the event above. */
struct error *function_event_format(const struct function_event *event, const char *model,
				    char **ret, size_t *ret_len);

/*
 * The function that replaces an event by a probe, set by the code that adds events; @ret_id is the
 * probe's id in tracefs.
 */
typedef struct error *(*function_event_probe_fn)(const struct function_event *event,
						 uint64_t *ret_id);
void function_events_set_probe(function_event_probe_fn make);

/* Replace an event of function_events_find() by a probe.  On error it is not changed. */
struct error *function_event_make_probe(const struct function_event *event, uint64_t *ret_id);

#endif
