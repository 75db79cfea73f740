// SPDX-License-Identifier: GPL-2.0
#include "session/branch_history.h"

#include <string.h>

/* The assumed maximum length of a call instruction, as in perf. */
#define CALL_BYTES	8

struct passed_loop {
	uint64_t loops, cycles;
};

/* Whether the branches from @again on repeat those from @first on, up to the end of the list. */
static bool is_repetition(const struct perf_branch_entry *branches, size_t nr, size_t first,
			  size_t again)
{
	for (size_t i = 0; first + i < again && again + i < nr; i++)
		if (branches[first + i].from != branches[again + i].from)
			return false;
	return true;
}

/*
 * Remove repetitions; returns the number of remaining branches.  perf remembers the first position
 * of each address.
 */
static size_t remove_loops(struct perf_branch_entry *branches, size_t nr,
			   struct passed_loop *loops)
{
	bool known[BRANCH_HISTORY_DEPTH] = { false };

	for (size_t i = 0; i < nr; i++) {
		size_t first = 0, length;

		while (first < i && (!known[first] || branches[first].from != branches[i].from))
			first++;
		known[i] = first == i;
		length = nr - i < i - first ? nr - i : i - first;
		if (!length || !is_repetition(branches, nr, first, i))
			continue;
		if (i + length < nr) {
			loops[i + length].loops++;
			loops[i + length].cycles = 0;
			for (size_t k = 0; k < length; k++)
				loops[i + length].cycles += branches[i + k].cycles;
			memmove(loops + i, loops + i + length, (nr - i - length) * sizeof(*loops));
			memmove(branches + i, branches + i + length,
				(nr - i - length) * sizeof(*branches));
		}
		nr -= length;
	}
	return nr;
}

/* The number of frames whose calls the newest branches are; context marks are no frames. */
static size_t count_overlap(const struct perf_branch_entry *branches, size_t nr,
			    const struct callchain *frames)
{
	size_t overlap = 0;

	for (size_t i = 0; i < nr && overlap < frames->nr; i++) {
		uint64_t ip = frames->items[overlap].ip;

		overlap += branches[i].from < ip && branches[i].from + CALL_BYTES >= ip;
	}
	return overlap;
}

void branch_history_read(const struct session_record *r, const struct callchain *frames,
			 size_t depth, struct branch_history *ret)
{
	struct perf_branch_entry branches[BRANCH_HISTORY_DEPTH];
	struct passed_loop loops[BRANCH_HISTORY_DEPTH] = { { 0 } };
	size_t nr = r->sample.nr_branches;

	ret->nr = ret->overlap = 0;
	if (!r->sample.branch_stack || nr > BRANCH_HISTORY_DEPTH ||
	    r->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
		return;
	if (nr > depth)
		nr = depth;
	memcpy(branches, r->sample.branch_stack, nr * sizeof(*branches));
	ret->overlap = count_overlap(branches, nr, frames);
	nr = remove_loops(branches, nr, loops);
	for (size_t i = 0; i < nr; i++) {
		ret->steps[ret->nr++] = (struct branch_step){
			.ip = branches[i].to, .from = branches[i].from, .flags = branches[i],
			.is_target = true,
		};
		ret->steps[ret->nr++] = (struct branch_step){
			.ip = branches[i].from, .flags = branches[i],
			.loops = loops[i].loops, .loop_cycles = loops[i].cycles,
		};
	}
}
