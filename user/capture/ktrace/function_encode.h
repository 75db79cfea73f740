/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Encodes events of kernel functions (format/function_events.h) for the device (linux/ktrace.h).
 */
#ifndef KTRACE_CAPTURE_KTRACE_FUNCTION_ENCODE_H
#define KTRACE_CAPTURE_KTRACE_FUNCTION_ENCODE_H

#include <linux/ktrace.h>

#include "format/function_events.h"

struct function_encoding {
	struct ktrace_function_arg args[KTRACE_MAX_FUNCTION_ARGS];
};

/* Fill @add for the function.  @encoding has to live until @add was passed to the device. */
void function_encode(const struct function_event *function, struct function_encoding *encoding,
		     struct ktrace_event_add *add);

#endif
