/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where records are put together that a filter has yet to see: on each CPU a
 * stack for the contexts that interrupt each other there.
 */
#ifndef KTRACE_SCRATCH_H
#define KTRACE_SCRATCH_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

/* Four of the largest records perf knows, or many small ones. */
#define KTRACE_SCRATCH_SIZE	32768

struct ktrace_scratch {
	u32 used;
	u8 bytes[KTRACE_SCRATCH_SIZE] __aligned(8);
};

DECLARE_PER_CPU(struct ktrace_scratch *, ktrace_scratch_cpu);

/* Before the first use; may be called again.  May sleep. */
int ktrace_scratch_prepare(void);
/* When nothing can use it any more. */
void ktrace_scratch_free(void);

/*
 * @size bytes, 4 less than a multiple of 8, at 4 beyond one; NULL: too much.
 * Preemption is disabled until put.
 */
static __always_inline void *ktrace_scratch_get(u32 size)
{
	struct ktrace_scratch *scratch = __this_cpu_read(ktrace_scratch_cpu);
	u32 used = scratch->used;

	/* Who interrupts puts back what it got. */
	if (unlikely(size > KTRACE_SCRATCH_SIZE - 4 - used))
		return NULL;
	WRITE_ONCE(scratch->used, used + 4 + size);
	barrier();
	return scratch->bytes + used + 4;
}

/* The last that was got on this CPU; @size as then. */
static __always_inline void ktrace_scratch_put(u32 size)
{
	struct ktrace_scratch *scratch = __this_cpu_read(ktrace_scratch_cpu);

	barrier();
	WRITE_ONCE(scratch->used, scratch->used - 4 - size);
}

#endif
