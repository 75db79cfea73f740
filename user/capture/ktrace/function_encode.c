// SPDX-License-Identifier: GPL-2.0
#include "capture/ktrace/function_encode.h"

#include <assert.h>
#include <string.h>

static_assert(FUNCTION_ARGS_MAX == KTRACE_MAX_FUNCTION_ARGS, "all arguments have room");
static_assert(FUNCTION_ARG_MAX_LOADS == KTRACE_MAX_ARG_LOADS, "all loads have room");

void function_encode(const struct function_event *function, struct function_encoding *encoding,
		     struct ktrace_event_add *add)
{
	add->flags |= KTRACE_EVENT_FUNCTION | (function->at_return ? KTRACE_EVENT_RETURN : 0);
	add->address = function->address;
	add->path = KTRACE_PATH_FUNCTION;
	if (!function->nr_args)
		return;
	for (size_t i = 0; i < function->nr_args; i++) {
		const struct function_arg *from = &function->fetched[i];
		struct ktrace_function_arg *to = &encoding->args[i];

		*to = (struct ktrace_function_arg){
			.reg = from->reg, .size = from->size, .nr_loads = from->nr_loads,
		};
		memcpy(to->offsets, from->offsets, sizeof(to->offsets));
	}
	add->args = (uintptr_t)encoding->args;
	add->nr_args = function->nr_args;
}
