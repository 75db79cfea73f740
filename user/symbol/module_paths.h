/* SPDX-License-Identifier: GPL-2.0 */
/* The paths of the running kernel's modules, from modules.dep. */
#ifndef KTRACE_SYMBOL_MODULE_PATHS_H
#define KTRACE_SYMBOL_MODULE_PATHS_H

#include "lib/cleanup.h"

struct module_paths {
	char *dep;		/* the text of modules.dep; NULL: there is none */
	char folder[96];	/* "/lib/modules/6.1.0" */
};

void module_paths_read(struct module_paths *ret);
void module_paths_deinit(struct module_paths *paths);
DEFINE_CLEANUP(module_paths, struct module_paths, module_paths_deinit)

/*
 * The path of the file of the module "ext4", or "[ext4]" if modules.dep does not list it.  free()
 * it; NULL: out of memory.
 */
char *module_paths_find(const struct module_paths *paths, const char *module);

#endif
