/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The strings that arguments of system calls point to, for `ktrace trace`.  Events of single calls
 * have them, if the kernel (Linux 6.19) or the module stores them; raw_syscalls never do.
 */
#ifndef KTRACE_CMD_TRACE_TRACE_STRINGS_H
#define KTRACE_CMD_TRACE_TRACE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "format/syscalls.h"
#include "lib/cleanup.h"
#include "lib/error.h"

struct trace_strings {
	char **items;		/* events: "syscalls:sys_enter_openat"; owned */
	size_t nr, alloc;
	bool ask;		/* the module has to be asked for the strings */
};

/*
 * Find the events with strings of the calls that are @wanted (NULL: all).  Calls whose strings
 * neither the kernel nor the module stores are left out, with a notice.  @via is the argument of
 * --via.  On error, too, @ret has to be released.
 */
struct error *trace_strings_find(struct syscalls *syscalls, const bool *wanted, const char *via,
				 struct trace_strings *ret);
void trace_strings_deinit(struct trace_strings *strings);
DEFINE_CLEANUP(trace_strings, struct trace_strings, trace_strings_deinit)

#endif
