/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plugins are parts of the tool that are loaded only when needed, because of the libraries
 * they are linked with.  They are files NAME.so in lib/ktrace beside the folder of the
 * executable (lib64/ktrace, if make was given that).  The Makefile lists their sources.  A plugin
 * may call every function of the tool, and the tool uses the symbols of each plugin that the
 * Makefile lists.
 */
#ifndef KTRACE_LIB_PLUGIN_H
#define KTRACE_LIB_PLUGIN_H

#include "lib/error.h"

/*
 * Store the address of @symbol of the plugin @name in *ret; it stays valid as long as the process
 * lives.  If the program has the symbol itself, no plugin is loaded.  ENOENT: the plugin or one of
 * its libraries cannot be loaded.  ENOTSUP: ktrace was built without the library.  The caller adds
 * the feature that is therefore missing.
 */
struct error *plugin_find(const char *name, const char *symbol, void **ret);

#endif
