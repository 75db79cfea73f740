/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gives the names of C++ and Rust functions as people write them, without their parameters, as
 * perf shows them.
 */
#ifndef KTRACE_SYMBOL_DEMANGLE_H
#define KTRACE_SYMBOL_DEMANGLE_H

/*
 * Demangle @name; free() the result.  NULL: @name is not mangled, or its text is too long for
 * anybody to read.
 */
char *demangle(const char *name);

#endif
