/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gives the names of functions as people write them, as perf shows them: those of C++ and Rust
 * without their parameters, and those of OCaml and Java.
 */
#ifndef KTRACE_SYMBOL_DEMANGLE_H
#define KTRACE_SYMBOL_DEMANGLE_H

#include <stdbool.h>

/*
 * True: names stay as they are stored.  It is set once, before any symbol is read, by who asks for
 * it with --no-demangle.
 */
extern bool demangle_nothing;

/*
 * Demangle @name; free() the result.  NULL: @name is not mangled, or its text is too long for
 * anybody to read, or names stay as they are.
 */
char *demangle(const char *name);

/*
 * Whether a glob with "::" in it matches the demangled @name.  (Without "::", it is compared with
 * names as they are.)
 */
bool demangled_matches(const char *glob, const char *name);

#endif
