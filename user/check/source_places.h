/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the definitions of events in a source tree (header/trace_header.h), in headers that define
 * their TRACE_SYSTEM.
 */
#ifndef KTRACE_CHECK_SOURCE_PLACES_H
#define KTRACE_CHECK_SOURCE_PLACES_H

#include "check/finding.h"
#include "lib/error.h"

/*
 * Search the headers below @folder for the events of @results, apply the rules about sources to
 * them (lint_source()), and set the locations of events and findings, and results->source_root.  It
 * is an error if no event is found.
 */
struct error *source_places_find(const char *folder, struct results *results);

#endif
