/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The types of the kernel's locks, by the flags of lock:contention_begin, in perf's names.
 */
#ifndef KTRACE_TABLE_LOCK_LOCK_TYPES_H
#define KTRACE_TABLE_LOCK_LOCK_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* "rwsem:R", or with @family "rwsem"; "unknown" if no type has these flags. */
const char *lock_type(uint32_t flags, bool family);

/* Whether some type, or a family of types, has this name. */
bool lock_type_is_known(const char *name);

#endif
