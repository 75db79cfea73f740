/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The types of the kernel's locks, by the flags of lock:contention_begin, in perf's names.
 */
#ifndef KTRACE_TABLE_LOCK_LOCK_TYPES_H
#define KTRACE_TABLE_LOCK_LOCK_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

/* "rwsem:R", or with @family "rwsem"; "unknown" if no type has these flags. */
const char *lock_type(uint32_t flags, bool family);

/* EINVAL: no type, and no family of types, has this name; @data is not used. */
struct error *lock_type_check(void *data, const char *name);

#endif
