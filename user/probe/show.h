/* SPDX-License-Identifier: GPL-2.0 */
/* Lists that can be probed: functions (-F), lines (-L), variables (-V).  The texts are perf's. */
#ifndef KTRACE_PROBE_SHOW_H
#define KTRACE_PROBE_SHOW_H

#include "lib/strbuf.h"
#include "probe/binary.h"
#include "probe/definition.h"
#include "probe/place.h"

struct show_filter {
	const char *glob;	/* '&' joins several, '!' in front excludes; NULL: all */
};

/* Whether a name passes the filter "[!]GLOB[&[!]GLOB...]". */
bool show_passes(const char *filter, const char *name);

/*
 * Append the names of functions that pass the filter, sorted, a line each.  @demangle: those of C++
 * and Rust in readable form.
 */
struct error *show_functions(const struct probe_binary *binary, const char *filter, bool demangle,
			     struct strbuf *out);

/*
 * Append the source lines of "FUNC[@SRC][:FIRST[-LAST|+COUNT]]" or
 * "SRC:FIRST[-LAST|+COUNT]"; lines that can be probed have numbers.
 */
struct error *show_lines(const struct probe_binary *binary, const char *text,
			 const char *source_folder, struct strbuf *out);

struct show_variables_options {
	struct probe_place_options places;
	bool externs, ranges;
	const char *filter;
};

/* Append the variables that can be read at the places of a definition without arguments. */
struct error *show_variables(const struct probe_binary *binary,
			     const struct probe_definition *definition,
			     const struct show_variables_options *options, struct strbuf *out);

#endif
