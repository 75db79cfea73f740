/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `script --lint` checks a script against the event formats of a kernel.
 */
#ifndef KTRACE_CMD_SCRIPT_SCRIPT_LINT_H
#define KTRACE_CMD_SCRIPT_SCRIPT_LINT_H

#include "lib/error.h"

/*
 * @spec is as for script_find().  @input is a recording or a folder of formats; NULL: this
 * kernel.  *ret_status is 1 if a handler would break.
 */
struct error *script_lint_run(const char *spec, const char *input, int *ret_status);

#endif
