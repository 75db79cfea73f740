/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds where events are defined in a source tree: the line of their TRACE_EVENT() or
 * DEFINE_EVENT(), in headers that define their TRACE_SYSTEM.
 */
#ifndef KTRACE_CHECK_SOURCE_PLACES_H
#define KTRACE_CHECK_SOURCE_PLACES_H

#include "check/finding.h"
#include "lib/error.h"

/*
 * Search the headers below @folder for the events of @results, and set their places (source,
 * line) and results->source_root.  Events that are defined by other macros are not found; it
 * is an error if none is found.
 */
struct error *source_places_find(const char *folder, struct results *results);

#endif
