/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of the running kernel and its modules, from /proc/kallsyms.
 */
#ifndef KTRACE_PROBE_KERNEL_SYMBOLS_H
#define KTRACE_PROBE_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

/*
 * Call @function for each function of the kernel, or of @module if it is not NULL, until it
 * returns false.  @address is 0 if the kernel hides addresses from this process.
 */
typedef bool (*kernel_symbol_fn)(void *context, const char *name, uint64_t address);
struct error *kernel_symbols(const char *module, kernel_symbol_fn function, void *context);

/* The name of a loaded module that has a function of this name, owned by the caller; NULL: none. */
char *kernel_symbols_module_of(const char *function);

/* The address of _text, to which the kernel's functions are relative; 0: it is hidden. */
uint64_t kernel_symbols_start(void);

#endif
