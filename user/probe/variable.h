/* SPDX-License-Identifier: GPL-2.0 */
/* Arguments by debug information: the location and the type of a variable at an address. */
#ifndef KTRACE_PROBE_VARIABLE_H
#define KTRACE_PROBE_VARIABLE_H

#include "probe/binary.h"
#include "probe/definition.h"
#include "probe/event.h"
#include "probe/place.h"

/*
 * Append the values of @arg to @event.  @text is the definition, for errors with a caret, which
 * name other locations where the variable can be read.
 */
struct error *probe_variable_add(const struct probe_binary *binary, struct probe_place *place,
				 const struct probe_arg *arg, const char *text,
				 struct probe_event *event);

/*
 * Call @function for each variable in scope at a location, including parameters and inner ones.
 * @location: the kernel can read it there.
 */
typedef struct error *(*probe_variable_fn)(void *context, Dwarf_Die *variable, bool location);
struct error *probe_variables(const struct probe_binary *binary, struct probe_place *place,
			      probe_variable_fn function, void *context);

/* Append the C name of the type of a variable in perf's format: "struct node*". */
void probe_variable_add_type(Dwarf_Die *variable, struct strbuf *out);

/*
 * Append the ranges of code in which a variable has a location: "[0-9,9-26]", relative to @start.
 */
void probe_variable_add_ranges(Dwarf_Die *variable, uint64_t start, struct strbuf *out);

#endif
