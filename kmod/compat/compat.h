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

#endif
