/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `ktrace stat --by`, `--hist`, `--value` and `--latency`: counts events by keys in the module.
 * Without the module, ktrace counts the records of perf_event.
 */
#ifndef KTRACE_CMD_STAT_STAT_KEYS_H
#define KTRACE_CMD_STAT_STAT_KEYS_H

#include "cmd/stat/stat_command.h"

/* Check the combination of options, and add the events of --latency. */
struct error *stat_keys_finish_options(struct stat_options *options);

/* Count and print.  @recorded: by a recording, see stat_recorded.h. */
struct error *stat_keys_run(struct stat_command *command, bool recorded);

#endif
