/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --embed: stores in a recording the symbols and sources that name its addresses on other machines.
 */
#ifndef KTRACE_CMD_EMBEDDING_H
#define KTRACE_CMD_EMBEDDING_H

#include "lib/error.h"
#include "symbol/symbol_files.h"

/* Embed them in the file @path, and print their number and size. */
struct error *embedding_make(const char *path, const struct symbol_options *symbols);

#endif
