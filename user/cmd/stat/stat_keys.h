/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `ktrace stat --by`, `--hist`, `--value` and `--latency`: events counted by keys, in the
 * module, or where that is missing, of what perf_event records.
 */
#ifndef KTRACE_CMD_STAT_STAT_KEYS_H
#define KTRACE_CMD_STAT_STAT_KEYS_H

#include "cmd/stat/stat_command.h"

/* Check that the options go together, and add the events of --latency. */
struct error *stat_keys_finish_options(struct stat_options *options);

/* Count, and print what was counted.  @recorded: by recording, as stat_recorded.h says. */
struct error *stat_keys_run(struct stat_command *command, bool recorded);

#endif
