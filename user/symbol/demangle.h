/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of C++ and Rust functions as people write them, without their
 * parameters, as perf shows them.
 */
#ifndef KTRACE_SYMBOL_DEMANGLE_H
#define KTRACE_SYMBOL_DEMANGLE_H

/* free() it; NULL: @name is not mangled, or stands for more than anybody reads. */
char *demangle(const char *name);

#endif
