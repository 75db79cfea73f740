/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scripts whose handlers take event objects, as perf-prof's: a module that is
 * imported, with functions SYSTEM__NAME(event), __sample__(event), __init__(),
 * __exit__(), __interval__(), __print_stat__(indent), __lost__(start, end),
 * __record__(record) and on_batch(batch).  Used as script.h says, opened by event_script_open().
 */
#ifndef KTRACE_SCRIPT_EVENT_SCRIPT_H
#define KTRACE_SCRIPT_EVENT_SCRIPT_H

#include "format/prof_spec.h"
#include "script/script.h"

struct event_script_options {
	/* What its handler and _event are made of ("sched:x", "profile"); NULL: not for us. */
	const char *(*name)(void *data, const struct event *event);
	/* Whether a sample goes to the script; NULL: all do. */
	bool (*accepts)(void *data, const struct session_record *r);
	/* Whether all samples of an event do, without asking; NULL: of none. */
	bool (*takes_all)(void *data, const struct event *event);
	void *data;
	unsigned int interval_ms;	/* of __interval__(); 0: never */
	bool by_wall_clock;		/* the interval; else by the times of events */
	uint64_t max_samples;		/* 0: no end */
	/* How many frames of the call chains of an event it gets; NULL: all. */
	unsigned int (*max_stack)(void *data, const struct event *event);
	bool hide_kernel, hide_user;	/* frames of call chains */
	bool has_wall_offset;
	int64_t wall_offset;		/* wall clock minus the recording's, ns */
};

/*
 * Start the interpreter and import @module, a path or a name; @argv[0] is the
 * module as it was given.  @options must live as long as the script.
 */
struct error *event_script_open(const char *module, int argc, char **argv,
				const struct event_script_options *options, struct script **ret);

/* The template of a script for @specs, on stdout; formats come from tracefs. */
struct error *event_script_template(const char *command, const struct prof_specs *specs);

#endif
