/* SPDX-License-Identifier: GPL-2.0 */
/* The only table of all commands, used by main() alone.  Commands find each other by name. */
#ifndef KTRACE_CMD_COMMANDS_H
#define KTRACE_CMD_COMMANDS_H

#include "cmd/command.h"

/* All rows of commands.def; the last row has no name. */
extern const struct command commands[];

#endif
