/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the kernel that the ktrace module records by itself (format/function_events.h):
 * functions that match f:GLOB, and probes at entries and returns of functions.
 */
#ifndef KTRACE_PROBE_FUNCTIONS_H
#define KTRACE_PROBE_FUNCTIONS_H

#include "lib/error.h"
#include "probe/event.h"
#include "spec/event_spec.h"

/*
 * Append the entry and the return of each traceable function that matches @glob.  Nothing is
 * appended if there is none, or if the kernel hides its addresses.
 */
typedef struct error *(*probe_functions_fn)(const char *glob, struct event_specs *specs);
struct error *probe_functions(const char *glob, struct event_specs *specs);

enum function_fate {
	FUNCTION_IS_PROBE,	/* the module cannot record it: a probe is needed */
	FUNCTION_TAKEN,		/* appended */
	FUNCTION_REFUSED,	/* the kernel would refuse the probe, too */
};

/*
 * Append those @events that the module can record.  @from_glob: it is no error if it cannot record
 * some of them.  @fates has room for a result for each event.
 */
struct error *probe_functions_take(const struct probe_events *events, bool from_glob,
				   struct event_specs *specs, enum function_fate *fates);

#endif
