/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of `ktrace record` that keep only the records of slow pairs.
 */
#ifndef KTRACE_CMD_KEEP_OPTIONS_H
#define KTRACE_CMD_KEEP_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/error.h"
#include "spec/event_spec.h"
#include "spec/pair_spec.h"

/* --keep and --keep-context. */
struct keep_options {
	ARRAY_OF(struct pair_spec) pairs;
	uint64_t context;	/* ns before the start and after the end */
};

void keep_options_deinit(struct keep_options *options);

/* Add a pair.  Errors show the text with a caret at the mistake. */
struct error *keep_options_add(struct keep_options *options, const char *text);

/* Mark the events of the pairs in @specs as judged, and add the missing ones. */
struct error *keep_options_add_events(const struct keep_options *options,
				      struct event_specs *specs);

#endif
