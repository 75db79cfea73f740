/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Chooses the backend that captures each event of a recording.
 */
#ifndef KTRACE_CAPTURE_CHOOSE_H
#define KTRACE_CAPTURE_CHOOSE_H

#include "capture/backend.h"
#include "capture/event_attr.h"
#include "lib/strbuf.h"

/* The backends that a recording can use. */
struct capture_choice {
	const struct capture_backend *named;	/* by --via; NULL: auto */
	bool usable[CAPTURE_NR_BACKENDS];
};

/*
 * Determine the usable backends.  @via is the argument of --via, NULL if it was not given.  It is
 * an error if there is no such backend, or if it cannot be used here.
 */
struct error *capture_choice_init(struct capture_choice *choice, const char *via);

/* Whether a usable backend has this capability (CAPTURE_*). */
bool capture_choice_can(const struct capture_choice *choice, uint32_t what);

/* Whether a backend for @via can store event->user_strings here. */
bool capture_can_strings(const char *via);

/* The requirements of an event on its backend. */
struct capture_request {
	const struct event_spec *spec;
	const struct event_attr_options *options;
	bool cgroups_differ;	/* the tracepoints do not all have the same cgroup */
};

/*
 * Assign @event to the first backend that can capture it.  @event has its name and filter already.
 * With --via, it is an error if a tracepoint needs a capability that the backend lacks.
 */
struct error *capture_choose(const struct capture_choice *choice,
			     const struct capture_request *request, struct event *event);

/*
 * Returns the cgroup of the events whose backends record only one cgroup, or NULL if they record
 * all tasks.
 */
const char *capture_only_cgroup(const struct event_list *events);

/* Append the possible arguments of --via: "auto, ktrace, perf". */
void capture_choice_add_names(struct strbuf *out);

/* Returns them for the help, "auto, ktrace (the module) or perf (perf_event)"; static. */
const char *capture_choice_help(void);

#endif
