/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the addresses of a sample's call chain, innermost first: those that the kernel stored,
 * for the user's part perhaps those of the processor (--call-graph lbr), and behind them those
 * that are unwound from a copy of the user stack.
 */
#ifndef KTRACE_SESSION_CALLCHAIN_H
#define KTRACE_SESSION_CALLCHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/session.h"

/* perf's limit of frames, which applies to those of the kernel and to unwound ones each. */
#define CALLCHAIN_DEPTH	127

struct frame {
	uint64_t ip;
	uint8_t mode;	/* PERF_RECORD_MISC_KERNEL, _USER ... */
	bool unwound;	/* functions inlined there are frames as well */
};

struct callchain {
	struct frame *items;
	size_t nr, alloc;
};

void callchain_deinit(struct callchain *chain);

/*
 * Read the frames of a sample: at most @depth that the kernel stored, without its context marks,
 * then at most @depth unwound ones.  A chain with an unknown mark is damaged and gives no frames.
 * At a word that can be no address of user space the user's part ends.  The only error is to be
 * out of memory.
 */
struct error *callchain_read(struct callchain *chain, const struct session_record *r,
			     unsigned int depth);

#endif
