/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Converts mangled names of functions to the form that people write, as perf shows them.  C++ and
 * Rust have no parameters; OCaml and Java are supported, too.
 */
#ifndef KTRACE_SYMBOL_DEMANGLE_H
#define KTRACE_SYMBOL_DEMANGLE_H

#include <stdbool.h>

/*
 * True: names are not demangled.  It is set once, before any symbol is read, by commands with
 * --no-demangle.
 */
extern bool demangle_nothing;

/*
 * Demangle @name; free() the result.  NULL: @name is not mangled, the result is unreadably long, or
 * names are not demangled.
 */
char *demangle(const char *name);

/*
 * Whether a glob with "::" in it matches the demangled @name.  (Without "::", it is compared with
 * mangled names.)
 */
bool demangled_matches(const char *glob, const char *name);

#endif
