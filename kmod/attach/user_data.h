/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What syscalls:sys_enter_* store of user memory: for some arguments that are addresses, the
 * string or the bytes that are there.  Since Linux 6.19 the kernel says which arguments and how
 * much; its functions that read it are not exported.  On other kernels user space names those
 * that are strings (EVENT_ADD's user_strings), and the samples look as they do since 6.19.
 */
#ifndef KTRACE_USER_DATA_H
#define KTRACE_USER_DATA_H

#include <linux/types.h>
#include <linux/ktrace.h>

struct syscall_metadata;

/* At most as many arguments of a system call are read. */
#define KTRACE_USER_DATA_ARGS	KTRACE_MAX_USER_STRINGS
/* What marks the end of a string that was longer. */
#define KTRACE_USER_DATA_CUT	"..."
/*
 * So much is read of a string, or of an array at most.  The kernel reads as much, which is more
 * than it stores: what lies in pages that cannot be read counts, too.
 */
#define KTRACE_USER_DATA_READ	(KTRACE_MAX_USER_STRING + sizeof(KTRACE_USER_DATA_CUT))

struct ktrace_user_data {
	u32 nr;					/* arguments that are addresses */
	/* Bytes to store, with the NUL of a string; 0: they cannot be read. */
	u32 size[KTRACE_USER_DATA_ARGS];
	char bytes[KTRACE_USER_DATA_ARGS][KTRACE_USER_DATA_READ + 1];
};

/* A bit for each argument that is read; always 0 before Linux 6.19. */
u32 ktrace_user_data_mask(const struct syscall_metadata *meta);

/* Reads the memory that @args point to, of the current task.  May sleep. */
void ktrace_user_data_read(struct ktrace_user_data *data, const struct syscall_metadata *meta,
			   const unsigned long *args);

/*
 * Reads the strings that those of @args point to whose bits are in @mask, at most
 * KTRACE_USER_DATA_ARGS of them, of the current task.  Never sleeps: a string that is not in
 * memory has the size 0.
 */
void ktrace_user_data_read_strings(struct ktrace_user_data *data, u32 mask,
				   const unsigned long *args);

/* The bytes that ktrace_user_data_store() needs. */
u32 ktrace_user_data_size(const struct ktrace_user_data *data);

/* Stores the fields (__data_loc) and behind them the bytes, at @offset of @entry. */
void ktrace_user_data_store(const struct ktrace_user_data *data, void *entry, u32 offset);

#endif
