// SPDX-License-Identifier: GPL-2.0
/* bc292ab00f6c ("mm: introduce vma->vm_flags wrapper functions"), v6.3 */
#include <linux/mm.h>

void probe(struct vm_area_struct *vma);
void probe(struct vm_area_struct *vma)
{
	vm_flags_mod(vma, VM_DONTDUMP, VM_MAYWRITE);
}
