/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments of functions: registers, and memory that they point to.  Reading them works in any
 * context; unreadable memory gives 0.
 */
#ifndef KTRACE_ATTACH_ARGS_H
#define KTRACE_ATTACH_ARGS_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/ktrace.h>

struct pt_regs;

struct ktrace_attach_arg {
	u16 at;				/* offset of the register in struct pt_regs */
	u8 size, nr_loads;
	s32 offsets[KTRACE_MAX_ARG_LOADS];
};

struct ktrace_attach_args {
	u32 nr;
	u32 size;			/* of all values together, in bytes */
	struct ktrace_attach_arg items[];
};

/*
 * Copies and checks the arguments from user space.  NULL: there are none.  Otherwise returns memory
 * for kfree(), or an ERR_PTR(): -EINVAL, -EFAULT, -ENOMEM, or -EPERM: the caller may not make the
 * kernel read its memory.
 */
struct ktrace_attach_args *
ktrace_attach_args_create(const struct ktrace_function_arg __user *args, u32 nr);

/* Returns a copy of @args, NULL if it is NULL, or ERR_PTR(-ENOMEM). */
struct ktrace_attach_args *
ktrace_attach_args_copy(const struct ktrace_attach_args *args);

/* Follows @arg's loads, beginning with @value, and returns the last value that was read. */
u64 ktrace_attach_args_load(const struct ktrace_attach_arg *arg, u64 value);

/* Writes args->size bytes to @to. */
static __always_inline void ktrace_attach_args_read(const struct ktrace_attach_args *args,
						    const struct pt_regs *regs, void *to)
{
	const struct ktrace_attach_arg *arg = args->items, *end = arg + args->nr;

	for (; arg != end; arg++) {
		u64 value = *(const unsigned long *)((const void *)regs + arg->at);

		if (arg->nr_loads)
			value = ktrace_attach_args_load(arg, value);
		/* All sizes but the usual one are rare; the bytes behind are written next. */
		if (likely(arg->size == 8))
			__builtin_memcpy(to, &value, 8);
		else if (arg->size == 4)
			__builtin_memcpy(to, &value, 4);
		else if (arg->size == 2)
			__builtin_memcpy(to, &value, 2);
		else
			__builtin_memcpy(to, &value, 1);
		to += arg->size;
	}
}

#endif
