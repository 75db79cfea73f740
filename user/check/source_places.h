/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where events are defined in a tree of sources: the line of their TRACE_EVENT() or
 * DEFINE_EVENT(), in headers that define their TRACE_SYSTEM.
 */
#ifndef KTRACE_CHECK_SOURCE_PLACES_H
#define KTRACE_CHECK_SOURCE_PLACES_H

#include "check/finding.h"
#include "lib/error.h"

/*
 * Search the headers below @folder for the events of @results and tell these where
 * they are (source, line); also results->source_root.  Events that are defined by
 * macros of other names are not found; when none is, that is an error.
 */
struct error *source_places_find(const char *folder, struct results *results);

#endif
