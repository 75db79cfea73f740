/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KTRACE_COMPAT_H
#define KTRACE_COMPAT_H

#ifndef KTRACE_HAS_VM_FLAGS_MOD
#include <linux/mm.h>

static inline void vm_flags_mod(struct vm_area_struct *vma,
				unsigned long set, unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/*
 * Exported to modules, but declared in kernel/rcu/rcu.h.  Without it, closing
 * hundreds of events takes many seconds instead of a tenth of one.
 */
#ifdef KTRACE_EXPORTS_rcu_expedite_gp
void rcu_expedite_gp(void);
void rcu_unexpedite_gp(void);
#else
static inline void rcu_expedite_gp(void)
{
}

static inline void rcu_unexpedite_gp(void)
{
}
#endif

#endif
