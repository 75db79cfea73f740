/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the kernel that the ktrace module records by itself (format/function_events.h):
 * those that f:GLOB stands for, without arguments.
 */
#ifndef KTRACE_PROBE_FUNCTIONS_H
#define KTRACE_PROBE_FUNCTIONS_H

#include "format/event_spec.h"
#include "lib/error.h"

/*
 * Append the entry and the return of each function that may be traced and matches @glob.
 * Nothing is appended if none does, or if the kernel hides its addresses.
 */
typedef struct error *(*probe_functions_fn)(const char *glob, struct event_specs *specs);
struct error *probe_functions(const char *glob, struct event_specs *specs);

#endif
