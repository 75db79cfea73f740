/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The vDSO of this machine's kernel.
 */
#ifndef KTRACE_SYMBOL_VDSO_H
#define KTRACE_SYMBOL_VDSO_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/build_id.h"

/*
 * Find the vDSO that the kernel maps into this process; NULL: there is none.  It stays valid as
 * long as the process lives, and must not be changed.
 */
void *vdso_find(size_t *size);

/* Read its build id; false: there is no vDSO, or it has none. */
bool vdso_build_id(struct build_id *ret);

#endif
