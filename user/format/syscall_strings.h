/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strings that arguments of system calls point to.  Since Linux 6.19, syscalls:sys_enter_* store
 * them in fields named "__ARGUMENT_val".  The ktrace module adds the same fields on older kernels
 * (struct ktrace_event_add, user_strings); here are the formats that such samples have.
 */
#ifndef KTRACE_FORMAT_SYSCALL_STRINGS_H
#define KTRACE_FORMAT_SYSCALL_STRINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

/* How many strings of one call the module stores. */
#define SYSCALL_STRINGS_MAX	3

/*
 * Find the arguments in *text, the text of the format of "syscalls:@name", that point to strings,
 * a bit for each, from 0.  If there are any, *text, which was allocated, is replaced by the text
 * with their fields.  *ret_args is 0 if there are none, or if the kernel has the fields itself.
 */
struct error *syscall_strings_add(const char *name, char **text, uint32_t *ret_args);

/* Whether the text of a format has fields of strings, from whomever. */
bool syscall_strings_stored(const char *text);

#endif
