// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/branch_counts.h"

#define NEAR_BYTES	4096ULL
#define FAR_BYTES	(2 * 1024 * 1024ULL)

static void add_branch_type(struct branch_counts *counts, const struct branch_step *step)
{
	const struct perf_branch_entry *flags = &step->flags;

	if (flags->type == PERF_BR_UNKNOWN || !step->from)
		return;
	if (flags->type == PERF_BR_EXTEND_ABI)
		counts->new_types |= 1U << flags->new_type;
	else
		counts->types |= 1U << flags->type;
	counts->forward |= flags->type == PERF_BR_COND && step->ip > step->from;
	counts->backward |= flags->type == PERF_BR_COND && step->ip <= step->from;
	if (step->ip / FAR_BYTES != step->from / FAR_BYTES)
		counts->far = true;
	else if (step->ip / NEAR_BYTES != step->from / NEAR_BYTES)
		counts->near = true;
}

void branch_counts_add_step(struct branch_counts *counts, const struct branch_step *step)
{
	counts->branches++;
	counts->is_target = step->is_target;
	if (step->is_target) {
		counts->predicted += step->flags.predicted;
		counts->aborts += step->flags.abort;
		add_branch_type(counts, step);
		return;
	}
	counts->begun++;
	counts->cycles += step->flags.cycles;
	counts->loops += step->loops;
	counts->loop_cycles += step->loop_cycles;
}

void branch_counts_add(struct branch_counts *sum, const struct branch_counts *counts)
{
	if (!counts->branches)
		return;
	sum->branches += counts->branches;
	sum->predicted += counts->predicted;
	sum->aborts += counts->aborts;
	sum->types |= counts->types;
	sum->new_types |= counts->new_types;
	sum->forward |= counts->forward;
	sum->backward |= counts->backward;
	sum->far |= counts->far;
	sum->near |= counts->near;
	sum->is_target = counts->is_target;
	sum->cycles += counts->cycles;
	sum->begun += counts->begun;
	sum->loops += counts->loops;
	sum->loop_cycles += counts->loop_cycles;
}
