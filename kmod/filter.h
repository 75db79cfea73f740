/* SPDX-License-Identifier: GPL-2.0 */
/* Filter programs: the contract is in the uapi header. */
#ifndef KTRACE_FILTER_H
#define KTRACE_FILTER_H

#include <linux/types.h>
#include <linux/ktrace.h>

/* perf hands on no larger record (PERF_MAX_TRACE_SIZE). */
#define KTRACE_FILTER_MAX_RECORD	8192

struct ktrace_filter {
	const char *pool;
	struct ktrace_filter_insn insns[];
};

/* Copies, and refuses what filter_verify.c refuses. */
struct ktrace_filter *ktrace_filter_create(const void __user *insns, u32 nr_insns,
					   const void __user *pool, u32 pool_bytes);
void ktrace_filter_destroy(struct ktrace_filter *filter);

/* 0 or -EINVAL. */
int ktrace_filter_verify_program(const struct ktrace_filter_insn *insns, u32 nr_insns,
				 u32 pool_bytes);

/*
 * Would the program accept the record of @size bytes?  Any context, preemption
 * disabled.
 */
bool ktrace_filter_run(const struct ktrace_filter *filter, const void *raw, u32 size);

#endif
