/* SPDX-License-Identifier: GPL-2.0 */
/* Filter programs: the contract is in the uapi header. */
#ifndef KTRACE_FILTER_H
#define KTRACE_FILTER_H

#include <linux/compiler.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/ktrace.h>

/* perf passes no larger raw data (PERF_MAX_TRACE_SIZE). */
#define KTRACE_FILTER_MAX_RECORD	KTRACE_FILTER_MAX_STRING

struct ktrace_filter {
	/* The filter as machine code.  NULL: none, and the three members below are zero. */
	struct bpf_prog *prog;
	u32 prog_min_size;		/* of the smallest raw data it can take */
	/* Its argument is the raw data, not a struct ktrace_filter_record; and the current task. */
	bool prog_is_bare;
	bool prog_takes_common;		/* it reads the common part, struct trace_entry */
	u32 nr_insns;
	u32 cost;			/* sum of ktrace_filter_cost() of all instructions */
	const char *pool;
	struct ktrace_filter_insn insns[];
};

struct ktrace_filter_record {
	const void *raw;
	u32 size;
};

/*
 * Copies the program and its pool.  -EINVAL: filter_verify.c refuses the program; -ENOSPC:
 * it costs more than KTRACE_FILTER_MAX_COST; -EFAULT; -ENOMEM.
 */
struct ktrace_filter *ktrace_filter_create(const void __user *insns, u32 nr_insns,
					   const void __user *pool, u32 pool_bytes);
/* The same for a program in kernel memory, whose texts are in [from, from + bytes) of @pool. */
struct ktrace_filter *ktrace_filter_copy(const struct ktrace_filter_insn *insns, u32 nr_insns,
					 const char *pool, u32 from, u32 bytes);
void ktrace_filter_destroy(struct ktrace_filter *filter);
/* The memory of a filter in bytes, with its machine code. */
u64 ktrace_filter_bytes(const struct ktrace_filter *filter);

/* Returns 0 if the program is valid, -EINVAL otherwise. */
int ktrace_filter_verify_program(const struct ktrace_filter_insn *insns, u32 nr_insns,
				 u32 pool_bytes);
/* The highest cost of all instructions of a valid program together. */
u64 ktrace_filter_program_cost(const struct ktrace_filter_insn *insns, u32 nr_insns,
			       const char *pool);

/*
 * Sets filter->prog and the members that describe it.  The program is NULL where the kernel has no
 * compiler for the machine, or the parameter filter_jit is off.
 */
void ktrace_filter_jit_compile(struct ktrace_filter *filter);
void ktrace_filter_jit_free(struct ktrace_filter *filter);
/* Would a filter be compiled now? */
bool ktrace_filter_jit_works(void);

/* The interpreter, which defines the meaning of a program.  Returns as ktrace_filter_run(). */
bool ktrace_filter_interpret(const struct ktrace_filter *filter,
			     const struct ktrace_filter_record *rec);
/* Does the comparison of one instruction below KTRACE_FILTER_LOAD hold? */
bool ktrace_filter_holds(const struct ktrace_filter *filter,
			 const struct ktrace_filter_insn *insn,
			 const struct ktrace_filter_record *rec);

/* The operand of an instruction that is a number in the raw data or a common field. */
u64 ktrace_filter_number(const struct ktrace_filter_insn *insn,
			 const struct ktrace_filter_record *rec);

/* Like ktrace_filter_run(), for any program and raw data of any size. */
bool ktrace_filter_run_record(const struct ktrace_filter *filter, const void *raw, u32 size);

/* Runs machine code, like ktrace_probe_accepts(), which describes @context. */
static __always_inline bool ktrace_filter_call(const struct bpf_prog *prog, const void *context)
{
	return bpf_dispatcher_nop_func(context, (const struct bpf_insn *)current, prog->bpf_func);
}

/* Does it read the raw data?  Otherwise the common fields alone decide. */
bool ktrace_filter_takes_record(const struct ktrace_filter *filter);

/* Does a filter accept that does not read the raw data?  Works like ktrace_filter_run(). */
static __always_inline bool ktrace_filter_run_early(const struct ktrace_filter *filter)
{
	static const struct ktrace_filter_record none;

	if (likely(filter->prog))
		return ktrace_filter_call(filter->prog, &none);
	return ktrace_filter_interpret(filter, &none);
}

/*
 * Does the filter accept raw data of @size bytes?  Works in any context with preemption
 * disabled.
 */
static __always_inline bool ktrace_filter_run(const struct ktrace_filter *filter,
					      const void *raw, u32 size)
{
	if (likely(filter->prog && filter->prog_is_bare && size >= filter->prog_min_size))
		return ktrace_filter_call(filter->prog, raw);
	return ktrace_filter_run_record(filter, raw, size);
}

#endif
