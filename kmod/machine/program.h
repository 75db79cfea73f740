/* SPDX-License-Identifier: GPL-2.0 */
/* The programs of machines: the contract is in the uapi header. */
#ifndef KTRACE_PROGRAM_H
#define KTRACE_PROGRAM_H

#include <linux/types.h>
#include <linux/ktrace.h>

struct ktrace_filter;

struct ktrace_program {
	const struct ktrace_machine *head;	/* loaded by user space, owned */
	const struct ktrace_machine_state *states;
	const struct ktrace_machine_source *sources;
	const struct ktrace_machine_transition *transitions;
	struct ktrace_filter **filters;
	/* The first transition of a state and a source; nr_states * nr_sources + 1 of them. */
	u16 *first;
	u64 bytes;				/* of memory */
};

/*
 * Takes over @bytes, which is @size bytes of memory from kvmalloc(), even on failure.  -EINVAL:
 * they are no valid machine; -ENOSPC: a filter costs more than KTRACE_FILTER_MAX_COST; -ENOMEM.
 */
struct ktrace_program *ktrace_program_create(void *bytes, u32 size);
void ktrace_program_destroy(struct ktrace_program *program);

/*
 * The highest cost of the sources from @first to @end, which have one event, for one firing.  This
 * counts their filters, and the filters of the transitions in the most expensive state.
 */
u64 ktrace_program_cost(const struct ktrace_program *program, u32 first, u32 end);

/* Are all keys the tasks that fire? */
bool ktrace_program_is_of_own_tasks(const struct ktrace_program *program);

/* The indexes of the pair's first transition, and of the first one behind them. */
static inline const u16 *ktrace_program_pair(const struct ktrace_program *program, u32 state,
					     u32 source)
{
	return &program->first[state * program->head->nr_sources + source];
}

#endif
