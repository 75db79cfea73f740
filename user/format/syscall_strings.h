/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strings that arguments of system calls point to.  Since Linux 6.19, syscalls:sys_enter_* store
 * them in fields named "__ARGUMENT_val".  On older kernels the ktrace module adds the same fields
 * (struct ktrace_event_add, user_strings).  This file builds the formats of such samples.
 */
#ifndef KTRACE_FORMAT_SYSCALL_STRINGS_H
#define KTRACE_FORMAT_SYSCALL_STRINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

/* The most strings of one call that the module stores. */
#define SYSCALL_STRINGS_MAX	3

/*
 * Find the arguments that point to strings in *text, the format of "syscalls:@name".  *ret_args has
 * a bit for each, from 0.  If there are any, *text, which was allocated, is replaced by a format
 * with their fields.  *ret_args is 0 if there are none, or if the kernel has the fields itself.
 */
struct error *syscall_strings_add(const char *name, char **text, uint32_t *ret_args);

/* Whether a format has fields of strings, of the kernel or of the module. */
bool syscall_strings_stored(const char *text);

#endif
