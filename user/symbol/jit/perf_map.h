/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads /tmp/perf-PID.map, in which JIT compilers list the code they generate: a "START SIZE NAME"
 * in each line, with hexadecimal numbers.
 */
#ifndef KTRACE_SYMBOL_JIT_PERF_MAP_H
#define KTRACE_SYMBOL_JIT_PERF_MAP_H

#include <sys/types.h>

#include "symbol/symbols.h"

/*
 * Add the symbols of @path; lines of another form are skipped.  EPERM: the file belongs neither to
 * root, nor to us, nor to @owner, the user of its process, so anybody may have put it there.
 */
struct error *perf_map_read(const char *path, uid_t owner, struct symbols *symbols);

#endif
