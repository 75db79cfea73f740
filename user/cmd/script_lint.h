/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `script --lint`: a script held against the formats of a kernel.
 */
#ifndef KTRACE_CMD_SCRIPT_LINT_H
#define KTRACE_CMD_SCRIPT_LINT_H

#include "lib/error.h"

/*
 * @spec as script_find() takes it; @input: a recording, a folder of formats,
 * NULL: this kernel.  *ret_status 1: a handler would break.
 */
struct error *script_lint_run(const char *spec, const char *input, int *ret_status);

#endif
