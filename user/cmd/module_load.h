/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads kernel modules.
 */
#ifndef KTRACE_CMD_MODULE_LOAD_H
#define KTRACE_CMD_MODULE_LOAD_H

#include "lib/error.h"

/* Load the module in the file, which may be compressed.  Errors have a hint. */
struct error *module_load(const char *path);

#endif
