/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the addresses of a sample's call chain, innermost first: the frames that the kernel stored,
 * then those unwound from a copy of the user stack.  The processor's branches may replace the
 * kernel's user frames (--call-graph lbr).
 */
#ifndef KTRACE_SESSION_CALLCHAIN_H
#define KTRACE_SESSION_CALLCHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/session.h"

/* perf's limit of frames, which applies separately to the kernel's and to unwound ones. */
#define CALLCHAIN_DEPTH	127

struct frame {
	uint64_t ip;
	uint8_t mode;	/* PERF_RECORD_MISC_KERNEL, _USER ... */
	bool unwound;	/* functions inlined there are frames, too */
};

struct callchain {
	struct frame *items;
	size_t nr, alloc;
};

void callchain_deinit(struct callchain *chain);

/*
 * Read the frames of a sample: at most @depth that the kernel stored, without its context marks,
 * then at most @depth unwound ones.  A chain with an unknown mark is damaged and has no frames.
 * The user part ends at the first word that cannot be a user space address.  The only possible
 * error is lack of memory.
 */
struct error *callchain_read(struct callchain *chain, const struct session_record *r,
			     unsigned int depth);

#endif
