/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The vDSO of this machine's kernel.
 */
#ifndef KTRACE_SYMBOL_VDSO_H
#define KTRACE_SYMBOL_VDSO_H

#include <stddef.h>

/*
 * Find the vDSO that the kernel maps into this process; NULL: it maps none.  It is there, and
 * must not be changed, as long as the process lives.
 */
void *vdso_find(size_t *size);

#endif
