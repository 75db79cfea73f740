/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel symbols by address, from a text in the form of /proc/kallsyms.  Which
 * symbols count, and which of several at one address, is perf's choice.
 */
#ifndef KTRACE_SYMBOL_KALLSYMS_H
#define KTRACE_SYMBOL_KALLSYMS_H

#include "lib/error.h"
#include "symbol/symbols.h"

/*
 * Add the symbols of @path, `part` being the module's name, and settle.  An
 * error also when all addresses in it are 0: the kernel hides them
 * (kptr_restrict) from whoever has no CAP_SYSLOG.  *ret_landmark: the address
 * of the function @landmark (NULL: none is looked for); 0: it is not there.
 */
struct error *kallsyms_read(const char *path, struct symbols *symbols, const char *landmark,
			    uint64_t *ret_landmark);

#endif
