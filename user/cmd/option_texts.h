/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The texts of options in the manual pages. scripts/gen-options makes rows of them, and documents
 * the format of a page.  An option table then only has names and the places of values.
 */
#ifndef KTRACE_CMD_OPTION_TEXTS_H
#define KTRACE_CMD_OPTION_TEXTS_H

#include "lib/error.h"
#include "terminal/options.h"

/*
 * Complete the options of @usage: each gets its letter, argument, help and group from the page of
 * the command, which is the first word of usage->name.  The order is that of the page.  A value
 * that its row already has is kept, and a hidden row is not on the page.  *ret is to be freed; its
 * texts are static or belong to usage.  ENOENT: an option is neither on the page nor hidden, or
 * only one of table and page has an argument for it.
 */
struct error *option_texts_add(const struct command_usage *usage, struct option_spec **ret);

#endif
