// SPDX-License-Identifier: GPL-2.0
/*
 * user_struct counts the pages of perf's rings separately from other locked pages (locked_vm).  Of
 * the supported kernels, Debian's do so.
 */
#include <linux/sched/user.h>

atomic_long_t *probe(struct user_struct *user);
atomic_long_t *probe(struct user_struct *user)
{
	return &user->perf_mlock;
}
