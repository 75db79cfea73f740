/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What syscalls:sys_enter_* store of user memory since Linux 6.19: for some arguments that are
 * addresses, the string or the bytes that are there.  The kernel's functions that read it are
 * not exported.
 */
#ifndef KTRACE_USER_DATA_H
#define KTRACE_USER_DATA_H

#include <linux/types.h>

struct syscall_metadata;

/* At most as many arguments of a system call are read. */
#define KTRACE_USER_DATA_ARGS	3
/*
 * So much is read of a string, or of an array at most.  The kernel reads as much, which is more
 * than it stores: what lies in pages that cannot be read counts, too.
 */
#define KTRACE_USER_DATA_READ	169

struct ktrace_user_data {
	u32 nr;					/* arguments that are addresses */
	u32 size[KTRACE_USER_DATA_ARGS];	/* bytes to store; 0: they cannot be read */
	char bytes[KTRACE_USER_DATA_ARGS][KTRACE_USER_DATA_READ + 1];
};

/* A bit for each argument that is read; always 0 before Linux 6.19. */
u32 ktrace_user_data_mask(const struct syscall_metadata *meta);

/* Reads the memory that @args point to, of the current task.  May sleep. */
void ktrace_user_data_read(struct ktrace_user_data *data, const struct syscall_metadata *meta,
			   const unsigned long *args);

/* The bytes that ktrace_user_data_store() needs. */
u32 ktrace_user_data_size(const struct ktrace_user_data *data);

/* Stores the fields (__data_loc) and behind them the bytes, at @offset of @entry. */
void ktrace_user_data_store(const struct ktrace_user_data *data, void *entry, u32 offset);

#endif
