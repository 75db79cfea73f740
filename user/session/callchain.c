// SPDX-License-Identifier: GPL-2.0
#include "session/callchain.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "lib/array.h"

void callchain_deinit(struct callchain *chain)
{
	free(chain->items);
	*chain = (struct callchain){ 0 };
}

/* Find the mode of the addresses behind a mark; false: perf has no such mark. */
static bool mode_behind(uint64_t mark, uint8_t *ret)
{
	switch (mark) {
	case (uint64_t)PERF_CONTEXT_HV:
		*ret = PERF_RECORD_MISC_HYPERVISOR;
		return true;
	case (uint64_t)PERF_CONTEXT_KERNEL:
		*ret = PERF_RECORD_MISC_KERNEL;
		return true;
	case (uint64_t)PERF_CONTEXT_USER:
		*ret = PERF_RECORD_MISC_USER;
		return true;
	default:
		return false;
	}
}

/* Whether the processor recorded the user's frames, as branches without a return. */
static bool has_branch_frames(const struct session_record *r)
{
	return r->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK &&
	       r->sample.nr_branches;
}

/* Add the target of the newest call, then the address of each call. */
static struct error *add_branches(struct callchain *chain, const struct sample *sample)
{
	const struct perf_branch_entry *entries = sample->branch_stack;
	struct frame frame = { .ip = entries[0].to, .mode = PERF_RECORD_MISC_USER };

	if (!array_push(chain, frame))
		return &error_no_memory;
	for (uint64_t i = 0; i < sample->nr_branches; i++) {
		frame.ip = entries[i].from;
		if (!array_push(chain, frame))
			return &error_no_memory;
	}
	return NULL;
}

/*
 * Whether @ip is no frame, but some word of the stack, as happens in code without frame pointers.
 */
static bool is_garbage(const struct session_record *r, uint64_t ip)
{
	return !sample_is_user_address(ip) && !(r->maps && maps_find(r->maps, ip));
}

/*
 * On arm64, frame pointers skip the caller of a function without a frame, or before it has set up
 * its frame.  The link register holds that caller, which precedes the user's second frame, at @i.
 */
static struct error *add_leaf_caller(struct callchain *chain, const struct session_record *r,
				     uint64_t i)
{
	const uint64_t *ips = r->sample.callchain;
	struct frame frame = { .mode = PERF_RECORD_MISC_USER };

	if (i < 2 || ips[i - 2] != (uint64_t)PERF_CONTEXT_USER || !r->machine ||
	    ips[i] >= (uint64_t)PERF_CONTEXT_MAX)
		return NULL;
	frame.ip = machine_leaf_caller(r->machine, r->maps, r->event, &r->sample, ips[i - 1]);
	/* Return addresses are behind the call. */
	if (!frame.ip || frame.ip + 1 == ips[i] || is_garbage(r, frame.ip))
		return NULL;
	return array_push(chain, frame) ? NULL : &error_no_memory;
}

/* Add the frames that the kernel stored; branches replace its user frames. */
static struct error *add_stored(struct callchain *chain, const struct session_record *r,
				unsigned int depth)
{
	const struct sample *sample = &r->sample;
	struct frame frame = { .mode = PERF_RECORD_MISC_USER };
	bool lost = false;	/* the remaining user frames were found by following garbage */
	struct error *err;

	for (uint64_t i = 0; i < sample->nr_callchain && chain->nr < depth; i++) {
		err = add_leaf_caller(chain, r, i);
		if (err)
			return err;
		frame.ip = sample->callchain[i];
		if (frame.ip == (uint64_t)PERF_CONTEXT_USER && has_branch_frames(r))
			return add_branches(chain, sample);
		if (frame.ip < (uint64_t)PERF_CONTEXT_MAX) {
			lost = frame.mode == PERF_RECORD_MISC_USER &&
			       (lost || is_garbage(r, frame.ip));
			if (!lost && !array_push(chain, frame))
				return &error_no_memory;
		} else if (frame.ip == SAMPLE_CONTEXT_USER_DEFERRED) {
			return NULL;
		} else if (!mode_behind(frame.ip, &frame.mode)) {
			chain->nr = 0;
			return NULL;
		}
	}
	return NULL;
}

static struct error *add_unwound(struct callchain *chain, const struct session_record *r,
				 unsigned int depth)
{
	const struct sample *sample = &r->sample;
	uint64_t ips[CALLCHAIN_DEPTH];
	size_t nr;

	if (!r->machine || !sample->user_regs || !sample->user_stack_size)
		return NULL;
	if (depth > CALLCHAIN_DEPTH)
		depth = CALLCHAIN_DEPTH;
	nr = machine_unwind(r->machine, r->maps, r->event, sample, ips, depth);
	for (size_t i = 0; i < nr; i++) {
		struct frame frame = { ips[i], PERF_RECORD_MISC_USER, true };

		if (is_garbage(r, frame.ip))
			break;
		if (!array_push(chain, frame))
			return &error_no_memory;
	}
	return NULL;
}

struct error *callchain_read(struct callchain *chain, const struct session_record *r,
			     unsigned int depth)
{
	struct error *err;

	chain->nr = 0;
	err = add_stored(chain, r, depth);
	return err ? err : add_unwound(chain, r, depth);
}
