/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --embed: keeps in a recording what is needed to name its addresses elsewhere.
 */
#ifndef KTRACE_CMD_EMBEDDING_H
#define KTRACE_CMD_EMBEDDING_H

#include "lib/error.h"
#include "symbol/symbol_files.h"

/* Embed it in the file @path, and say how much it is. */
struct error *embedding_make(const char *path, const struct symbol_options *symbols);

#endif
