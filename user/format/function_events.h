/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the kernel, their entries and returns, as events that tracefs does not have.  The
 * ktrace module records them (KTRACE_EVENT_FUNCTION).  Each has the name, the fields and the
 * text of the kprobe or kretprobe that tracefs would have of it, in the system "f" or "k", so that
 * it can become that one where the module does not record it.  tracefs.h finds them by name.
 */
#ifndef KTRACE_FORMAT_FUNCTION_EVENTS_H
#define KTRACE_FORMAT_FUNCTION_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/function_args.h"
#include "lib/error.h"

#define FUNCTION_EVENTS_SYSTEM "f"

/* The most of them that a process can have: samples have room for no larger numbers. */
#define FUNCTION_EVENTS_MAX 8192

/* As in a line of tracefs' kprobe_events. */
struct function_event_arg {
	char *name;		/* "count" */
	char *value;		/* "%dx" */
	char *type;		/* "u64"; NULL: x64 */
};

struct function_event {
	const char *system;	/* one that lives as long as the process */
	char *name;		/* "vfs_read", "vfs_read__return" */
	char *function;		/* as the kernel calls it: "vfs_read", "walk.isra.0" */
	uint64_t address;
	uint64_t number;	/* of attr.config; no event of the kernel has it */
	bool at_return;
	bool is_probe;		/* it has become a probe, and cannot be found here any more */
	/* NULL: nothing is stored of an entry, and of a return its value, as "ret". */
	struct function_event_arg *args;
	struct function_arg *fetched;	/* the same for the module */
	size_t nr_args;
};

/* Can the module read these arguments? */
bool function_events_take(const struct function_event_arg *args, size_t nr);

/*
 * Add the entry or return of a function: @what has the members that the caller knows; it keeps
 * them, and all are copied.  Without a name it gets the function's.  A name that is taken gets a
 * number, as in vfs_read_1.  The arguments are such that function_events_take() is true.  The
 * event lives as long as the process.
 */
struct error *function_events_add(const struct function_event *what,
				  const struct function_event **ret);

/* Return the event with the number of an attr, or of this name; or NULL. */
const struct function_event *function_events_find(uint64_t number);
const struct function_event *function_events_named(const char *system, const char *name);

/* An event whose common fields are those of all events. */
#define FUNCTION_MODEL_SYSTEM	"sched"
#define FUNCTION_MODEL_NAME	"sched_switch"

/* Make the text of its format file; free() it.  @model: that of the event above. */
struct error *function_event_format(const struct function_event *event, const char *model,
				    char **ret, size_t *ret_len);

/* Whoever adds events says how one of them is made a probe; @ret_id: its number in tracefs. */
typedef struct error *(*function_event_probe_fn)(const struct function_event *event,
						 uint64_t *ret_id);
void function_events_set_probe(function_event_probe_fn make);

/* Have an event that function_events_find() gave made a probe.  On error it stays what it is. */
struct error *function_event_make_probe(const struct function_event *event, uint64_t *ret_id);

#endif
