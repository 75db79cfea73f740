/* SPDX-License-Identifier: GPL-2.0 */
/* Creates the events of a definition: one for each of its locations. */
#ifndef KTRACE_PROBE_MAKE_H
#define KTRACE_PROBE_MAKE_H

#include "probe/binary.h"
#include "probe/definition.h"
#include "probe/event.h"
#include "probe/place.h"

struct probe_make_options {
	struct probe_place_options places;
	const char *group;	/* for definitions without a group; NULL: perf's default */
};

/*
 * Append the events to *ret.  All events of one definition have the same name, which the caller
 * changes if the kernel allows only one location per name.
 */
struct error *probe_make(const struct probe_binary *binary,
			 const struct probe_definition *definition,
			 const struct probe_make_options *options, struct probe_events *ret);

#endif
