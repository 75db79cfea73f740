/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scripts whose handlers take event objects, as in perf-prof.  Such a script is a module that is
 * imported.  It has functions SYSTEM__NAME(event), __sample__(event), __init__(), __exit__(),
 * __interval__(), __print_stat__(indent), __lost__(start, end), __record__(record) and
 * on_batch(batch). event_script_open() opens it, and script.h describes its further use.
 */
#ifndef KTRACE_SCRIPT_EVENT_SCRIPT_H
#define KTRACE_SCRIPT_EVENT_SCRIPT_H

#include "script/script.h"
#include "spec/prof_spec.h"

struct event_script_options {
	/*
	 * The name for its handler and _event ("sched:x", "profile").  NULL means that the script
	 * does not get this event.
	 */
	const char *(*name)(void *data, const struct event *event);
	/* Whether the script gets this sample.  NULL: it gets all samples. */
	bool (*accepts)(void *data, const struct session_record *r);
	/*
	 * Whether the script gets all samples of this event, so that accepts() need not be called.
	 * NULL: it is always called.
	 */
	bool (*takes_all)(void *data, const struct event *event);
	void *data;
	unsigned int interval_ms;	/* of __interval__(); 0: never */
	bool by_wall_clock;		/* clock of __interval__(); else the samples' times */
	uint64_t max_samples;		/* the session ends after this number; 0: no limit */
	/* How many frames of an event's call chains the script gets.  NULL: all of them. */
	unsigned int (*max_stack)(void *data, const struct event *event);
	bool hide_kernel, hide_user;	/* frames of call chains */
	bool has_wall_offset;
	int64_t wall_offset;		/* wall clock minus the recording's, ns */
};

/*
 * Start the interpreter and import @module, which is a path or a name.  @argv[0] is the
 * module as the user gave it.  @options must live as long as the script.
 */
struct error *event_script_open(const char *module, int argc, char **argv,
				const struct event_script_options *options, struct script **ret);

/*
 * Print a script with a handler for each event of @specs to stdout.  Formats come from
 * tracefs.
 */
struct error *event_script_template(const char *command, const struct prof_specs *specs);

#endif
