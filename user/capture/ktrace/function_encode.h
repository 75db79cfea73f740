/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Translates functions of the kernel that are events (format/function_events.h) into what the
 * device takes for them (linux/ktrace.h).
 */
#ifndef KTRACE_CAPTURE_KTRACE_FUNCTION_ENCODE_H
#define KTRACE_CAPTURE_KTRACE_FUNCTION_ENCODE_H

#include <linux/ktrace.h>

#include "format/function_events.h"

struct function_encoding {
	struct ktrace_function_arg args[KTRACE_MAX_FUNCTION_ARGS];
};

/* Have @add ask for the function.  @encoding has to live until it has been asked for. */
void function_encode(const struct function_event *function, struct function_encoding *encoding,
		     struct ktrace_event_add *add);

#endif
