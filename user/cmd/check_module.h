/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module whose events are checked.  It is loaded for that time unless it is loaded
 * already.
 */
#ifndef KTRACE_CMD_CHECK_MODULE_H
#define KTRACE_CMD_CHECK_MODULE_H

#include <stdbool.h>

#include "lib/error.h"
#include "symbol/module_file.h"

struct check_module {
	struct module_file file;
	bool loaded;		/* we loaded it, so we remove it */
};

/* Load the module @path unless it is loaded.  file.items are the systems of its events. */
struct error *check_module_open(const char *path, struct check_module *ret);
void check_module_close(struct check_module *module);
DEFINE_CLEANUP(check_module, struct check_module, check_module_close)

#endif
