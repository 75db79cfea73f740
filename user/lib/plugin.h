/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of the tool that are loaded when they are first needed, for the sake of
 * the libraries they are linked with: NAME.so in lib/ktrace beside the folder
 * the executable is in.  The Makefile says which sources they are of; they call
 * what the tool has, and it knows one symbol of each.
 */
#ifndef KTRACE_LIB_PLUGIN_H
#define KTRACE_LIB_PLUGIN_H

#include "lib/error.h"

/*
 * *ret: @symbol of the plugin @name, as long as the process lives.  A program
 * that has the symbol itself needs no plugin.  Errors: ENOENT, the plugin or a
 * library of it cannot be loaded; the caller says what cannot be done therefore.
 */
struct error *plugin_find(const char *name, const char *symbol, void **ret);

#endif
