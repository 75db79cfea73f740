/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the manual pages say of options: scripts/gen-options makes rows of it, and says how a page
 * describes an option.  A table of options then has only names and where values go.
 */
#ifndef KTRACE_CMD_OPTION_TEXTS_H
#define KTRACE_CMD_OPTION_TEXTS_H

#include "lib/error.h"
#include "terminal/options.h"

/*
 * Make the options of @usage whole: each gets its letter, argument, help and group from the page of
 * the command, the first word of usage->name, in the order of the page.  What its row has already
 * stays, and a hidden row is not on the page.  *ret is to be freed; the texts in it are static or
 * those of usage.  ENOENT: an option is neither on the page nor hidden, or has an argument in one
 * of table and page alone.
 */
struct error *option_texts_add(const struct command_usage *usage, struct option_spec **ret);

#endif
