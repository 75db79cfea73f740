/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /tmp/perf-PID.map: what JIT compilers tell of code they made, one
 * "START SIZE NAME" a line, in hexadecimal.
 */
#ifndef KTRACE_SYMBOL_PERF_MAP_H
#define KTRACE_SYMBOL_PERF_MAP_H

#include "symbol/symbols.h"

/*
 * Add the symbols of @path; lines that are none are passed over.  EPERM: the file
 * belongs neither to root nor to us, and anybody may have put it there.
 */
struct error *perf_map_read(const char *path, struct symbols *symbols);

#endif
