/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The addresses of a sample's call chain, innermost first: what the kernel
 * stored, or for the user's part the processor (--call-graph lbr), and behind
 * it what is unwound from a copy of the user stack.
 */
#ifndef KTRACE_SESSION_CALLCHAIN_H
#define KTRACE_SESSION_CALLCHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/session.h"

/* perf's limit of frames, for kernel and unwound ones each. */
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
 * The frames of a sample: at most @depth that the kernel stored, without its
 * context marks, then at most @depth unwound ones.  A chain with a mark nobody
 * knows is damaged and has none.  The only error is that memory is out.
 */
struct error *callchain_read(struct callchain *chain, const struct session_record *r,
			     unsigned int depth);

#endif
