/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user memory that syscalls:sys_enter_* store: for some arguments that are addresses, the
 * string or the bytes there.  Since Linux 6.19 the kernel decides which arguments, and how many
 * bytes; its functions that read them are not exported.  On older kernels user space names the
 * arguments that are strings (EVENT_ADD's user_strings), and the samples have the layout of 6.19.
 */
#ifndef KTRACE_USER_DATA_H
#define KTRACE_USER_DATA_H

#include <linux/types.h>
#include <linux/ktrace.h>

struct syscall_metadata;

/* The most arguments of a system call whose memory is read. */
#define KTRACE_USER_DATA_ARGS	KTRACE_MAX_USER_STRINGS
/* The mark at the end of a string that was cut. */
#define KTRACE_USER_DATA_CUT	"..."
/*
 * The most bytes to read of a string or an array.  The kernel reads as many, which is more than it
 * stores.  So an unreadable page behind the stored bytes matters, too.
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

/* Reads the memory of the current task that @args point to.  May sleep. */
void ktrace_user_data_read(struct ktrace_user_data *data, const struct syscall_metadata *meta,
			   const unsigned long *args);

/*
 * Reads strings of the current task, to which the arguments with a bit in @mask point; at most
 * KTRACE_USER_DATA_ARGS of them.  Never sleeps: a string that is not in memory has the size 0.
 */
void ktrace_user_data_read_strings(struct ktrace_user_data *data, u32 mask,
				   const unsigned long *args);

/* The bytes that ktrace_user_data_store() needs. */
u32 ktrace_user_data_size(const struct ktrace_user_data *data);

/* Stores the fields (__data_loc) and behind them the bytes, at @offset of @entry. */
void ktrace_user_data_store(const struct ktrace_user_data *data, void *entry, u32 offset);

#endif
