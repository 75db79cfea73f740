/* SPDX-License-Identifier: GPL-2.0 */
/* Filter programs: the contract is in the uapi header. */
#ifndef KTRACE_FILTER_H
#define KTRACE_FILTER_H

#include <linux/compiler.h>
#include <linux/filter.h>
#include <linux/types.h>
#include <linux/ktrace.h>

/* perf hands on no larger record (PERF_MAX_TRACE_SIZE). */
#define KTRACE_FILTER_MAX_RECORD	KTRACE_FILTER_MAX_STRING

struct ktrace_filter {
	/* The same as machine code; NULL: there is none, and the three after it are zero. */
	struct bpf_prog *prog;
	u32 prog_min_size;		/* of the records it can take */
	bool prog_is_bare;		/* it takes the record, not a struct ktrace_filter_record */
	bool prog_takes_common;		/* it looks at what every record begins with */
	u32 nr_insns;
	u32 cost;			/* ktrace_filter_cost() of all instructions */
	const char *pool;
	struct ktrace_filter_insn insns[];
};

struct ktrace_filter_record {
	const void *raw;
	u32 size;
};

/*
 * Copies.  -EINVAL: filter_verify.c refuses the program; -ENOSPC: it costs more than
 * KTRACE_FILTER_MAX_COST; -EFAULT; -ENOMEM.
 */
struct ktrace_filter *ktrace_filter_create(const void __user *insns, u32 nr_insns,
					   const void __user *pool, u32 pool_bytes);
void ktrace_filter_destroy(struct ktrace_filter *filter);

/* 0 or -EINVAL. */
int ktrace_filter_verify_program(const struct ktrace_filter_insn *insns, u32 nr_insns,
				 u32 pool_bytes);
/* What the instructions of a program that was verified cost together at most. */
u64 ktrace_filter_program_cost(const struct ktrace_filter_insn *insns, u32 nr_insns,
			       const char *pool);

/*
 * Sets filter->prog, and what describes it; NULL where the kernel has no compiler for
 * the machine, or the parameter filter_jit is off.
 */
void ktrace_filter_jit_compile(struct ktrace_filter *filter);
void ktrace_filter_jit_free(struct ktrace_filter *filter);
/* Would a filter be compiled now? */
bool ktrace_filter_jit_works(void);

/* The reference.  As ktrace_filter_run(). */
bool ktrace_filter_interpret(const struct ktrace_filter *filter,
			     const struct ktrace_filter_record *rec);
/* One instruction of it. */
bool ktrace_filter_holds(const struct ktrace_filter *filter,
			 const struct ktrace_filter_insn *insn,
			 const struct ktrace_filter_record *rec);

/* The same, for any program and any record. */
bool ktrace_filter_run_record(const struct ktrace_filter *filter, const void *raw, u32 size);

/*
 * Would the program accept the record of @size bytes?  Any context, preemption
 * disabled.
 */
static __always_inline bool ktrace_filter_run(const struct ktrace_filter *filter,
					      const void *raw, u32 size)
{
	if (likely(filter->prog && filter->prog_is_bare && size >= filter->prog_min_size))
		return bpf_prog_run(filter->prog, raw);
	return ktrace_filter_run_record(filter, raw, size);
}

#endif
