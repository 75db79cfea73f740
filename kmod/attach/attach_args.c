// SPDX-License-Identifier: GPL-2.0
#include "attach/attach_args.h"

#include "attach/attach.h"

#ifdef KTRACE_ATTACH_FUNCTIONS

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/uaccess.h>
#include <asm/perf_regs.h>

#include "lib/permission.h"

#define REGISTER(number, member) \
	[PERF_REG_X86_##number] = offsetof(struct pt_regs, member) + 1

/* One more than a register's offset in struct pt_regs; 0: arguments cannot begin with it. */
static const u16 registers[] = {
	REGISTER(AX, ax), REGISTER(BX, bx), REGISTER(CX, cx), REGISTER(DX, dx),
	REGISTER(SI, si), REGISTER(DI, di), REGISTER(BP, bp), REGISTER(SP, sp),
	REGISTER(R8, r8), REGISTER(R9, r9), REGISTER(R10, r10), REGISTER(R11, r11),
	REGISTER(R12, r12), REGISTER(R13, r13), REGISTER(R14, r14), REGISTER(R15, r15),
};

static bool add_arg(const struct ktrace_function_arg *arg, struct ktrace_attach_args *args)
{
	struct ktrace_attach_arg *place = &args->items[args->nr];
	u32 i;

	if (arg->reg >= ARRAY_SIZE(registers) || !registers[arg->reg] || arg->reserved ||
	    arg->size > sizeof(u64) || !is_power_of_2(arg->size) ||
	    arg->nr_loads > KTRACE_MAX_ARG_LOADS)
		return false;
	for (i = arg->nr_loads; i < KTRACE_MAX_ARG_LOADS; i++)
		if (arg->offsets[i])
			return false;
	place->at = registers[arg->reg] - 1;
	place->size = arg->size;
	place->nr_loads = arg->nr_loads;
	for (i = 0; i < arg->nr_loads; i++)
		place->offsets[i] = arg->offsets[i];
	args->size += arg->size;
	args->nr++;
	return true;
}

struct ktrace_attach_args *
ktrace_attach_args_create(const struct ktrace_function_arg __user *args, u32 nr)
{
	struct ktrace_function_arg arg;
	struct ktrace_attach_args *ret;
	bool reads = false;
	u32 i;
	int err = 0;

	if (!nr)
		return args ? ERR_PTR(-EINVAL) : NULL;
	if (nr > KTRACE_MAX_FUNCTION_ARGS)
		return ERR_PTR(-EINVAL);
	ret = kzalloc(struct_size(ret, items, nr), GFP_KERNEL_ACCOUNT);
	if (!ret)
		return ERR_PTR(-ENOMEM);
	for (i = 0; !err && i < nr; i++) {
		if (copy_from_user(&arg, &args[i], sizeof(arg)))
			err = -EFAULT;
		else if (!add_arg(&arg, ret))
			err = -EINVAL;
		else
			reads |= arg.nr_loads;
	}
	/* perf, too, shows registers to processes that have CAP_PERFMON. */
	if (!err && reads)
		err = ktrace_permission_check_reading();
	if (!err)
		return ret;
	kfree(ret);
	return ERR_PTR(err);
}

struct ktrace_attach_args *
ktrace_attach_args_copy(const struct ktrace_attach_args *args)
{
	struct ktrace_attach_args *ret;

	if (!args)
		return NULL;
	ret = kmemdup(args, struct_size(args, items, args->nr), GFP_KERNEL_ACCOUNT);
	return ret ? ret : ERR_PTR(-ENOMEM);
}

notrace u64 ktrace_attach_args_load(const struct ktrace_attach_arg *arg, u64 value)
{
	u32 i, last = arg->nr_loads - 1;
	u64 ret = 0;

	for (i = 0; i < last; i++)
		if (copy_from_kernel_nofault(&value, (const void *)(value + arg->offsets[i]),
					     sizeof(value)))
			return 0;
	/* x86 is little-endian: the first bytes are the low ones. */
	if (copy_from_kernel_nofault(&ret, (const void *)(value + arg->offsets[last]), arg->size))
		return 0;
	return ret;
}
#else

#include <linux/err.h>

struct ktrace_attach_args *
ktrace_attach_args_create(const struct ktrace_function_arg __user *args, u32 nr)
{
	return nr || args ? ERR_PTR(-EINVAL) : NULL;
}
#endif
