/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads kernel symbols from a text in the form of /proc/kallsyms.  It chooses symbols as perf does,
 * also among several with the same address.
 */
#ifndef KTRACE_SYMBOL_KALLSYMS_H
#define KTRACE_SYMBOL_KALLSYMS_H

#include "lib/error.h"
#include "symbol/symbols.h"

/*
 * Add the symbols of @path, with the name of their module as `part`, and settle them.  It is an
 * error, too, if all addresses are 0: the kernel hides them (kptr_restrict) from processes without
 * CAP_SYSLOG.
 *
 * *ret_landmark is the address of the function @landmark; 0: it is not there.  @landmark NULL: do
 * not search.
 */
struct error *kallsyms_read(const char *path, struct symbols *symbols, const char *landmark,
			    uint64_t *ret_landmark);

#endif
