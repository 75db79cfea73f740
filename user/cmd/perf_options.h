/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options that perf's command of the same name has and ours has not, with the reason.
 */
#ifndef KTRACE_CMD_PERF_OPTIONS_H
#define KTRACE_CMD_PERF_OPTIONS_H

#include "terminal/options.h"

/*
 * The options of @command that are refused, ended by an empty row; *ret is the caller's, for
 * free(), and NULL if there are none.  The only error is to be out of memory.
 */
struct error *perf_options_refused(const char *command, struct option_refusal **ret);

#endif
