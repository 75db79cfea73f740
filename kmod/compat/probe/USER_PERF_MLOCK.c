// SPDX-License-Identifier: GPL-2.0
/*
 * What perf's rings take of perf_event_mlock_kb, apart from what else is locked
 * (locked_vm): of the supported kernels, those of Debian have it.
 */
#include <linux/sched/user.h>

atomic_long_t *probe(struct user_struct *user);
atomic_long_t *probe(struct user_struct *user)
{
	return &user->perf_mlock;
}
