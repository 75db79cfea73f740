/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the tracepoints of a kernel module from its file.
 */
#ifndef KTRACE_SYMBOL_ELF_MODULE_FILE_H
#define KTRACE_SYMBOL_ELF_MODULE_FILE_H

#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct module_file {
	char *name;		/* as in /sys/module */
	char **items;		/* TRACE_SYSTEMs of its events, ended by NULL */
	size_t nr, alloc;
};

/* Read the file of a module.  A module without tracepoints has no items, which is no error. */
struct error *module_file_read(const char *path, struct module_file *ret);
void module_file_deinit(struct module_file *file);
DEFINE_CLEANUP(module_file, struct module_file, module_file_deinit)

#endif
