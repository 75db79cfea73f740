/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `ktrace stat -r N -- A --versus -- B`: two commands that are run in turns, and compared.
 */
#ifndef KTRACE_CMD_STAT_STAT_VERSUS_H
#define KTRACE_CMD_STAT_STAT_VERSUS_H

#include "cmd/stat/stat_command.h"

/* Run both commands as often as -r says, and print how they differ. */
struct error *stat_versus_run(struct stat_command *command);

#endif
