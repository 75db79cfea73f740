/* SPDX-License-Identifier: GPL-2.0 */
/* Implements script_lint() for Python. */
#ifndef KTRACE_SCRIPT_PY_LINT_H
#define KTRACE_SCRIPT_PY_LINT_H

#include "script/script_lint.h"

struct error *py_lint(const char *path, const struct script_lint_formats *formats, FILE *out,
		      size_t *ret_broken);

#endif
