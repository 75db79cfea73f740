/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the kernel that the ktrace module records by itself (format/function_events.h):
 * those that f:GLOB stands for, and probes where functions are entered or return.
 */
#ifndef KTRACE_PROBE_FUNCTIONS_H
#define KTRACE_PROBE_FUNCTIONS_H

#include "lib/error.h"
#include "probe/event.h"
#include "spec/event_spec.h"

/*
 * Append the entry and the return of each function that may be traced and matches @glob.
 * Nothing is appended if none does, or if the kernel hides its addresses.
 */
typedef struct error *(*probe_functions_fn)(const char *glob, struct event_specs *specs);
struct error *probe_functions(const char *glob, struct event_specs *specs);

enum function_fate {
	FUNCTION_IS_PROBE,	/* the module cannot record it: it takes a probe */
	FUNCTION_TAKEN,		/* appended */
	FUNCTION_REFUSED,	/* nor would the kernel permit the probe */
};

/*
 * Append those of @events that the module can record; @from_glob: it does not matter if some of
 * them cannot.  @fates has room for as many.
 */
struct error *probe_functions_take(const struct probe_events *events, bool from_glob,
				   struct event_specs *specs, enum function_fate *fates);

#endif
