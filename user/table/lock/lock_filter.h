/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which waits for locks are wanted.
 */
#ifndef KTRACE_TABLE_LOCK_LOCK_FILTER_H
#define KTRACE_TABLE_LOCK_LOCK_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"
#include "session/callchain.h"
#include "session/session.h"

/* Lists "a,b"; NULL: all; borrowed. */
struct lock_filter {
	const char *types;	/* "spinlock", "rwsem:R", or a family: "rwsem" */
	const char *locks;	/* addresses, or the names of those in the kernel's data */
	const char *functions;	/* parts of the names of the kernel's functions in call chains */
};

/* Refuse types that there are not. */
struct error *lock_filter_check(const struct lock_filter *filter);

/*
 * Whether the wait that begins with @r, for the lock at @address, is wanted.  @chain is read by
 * whoever calls, if filter->functions is set.
 */
bool lock_filter_wants(const struct lock_filter *filter, const struct session_record *r,
		       uint64_t address, uint32_t flags, const struct callchain *chain);

#endif
