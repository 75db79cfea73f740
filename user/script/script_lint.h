/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which handlers of a Python script a kernel's formats would break, without
 * running the script.
 */
#ifndef KTRACE_SCRIPT_SCRIPT_LINT_H
#define KTRACE_SCRIPT_SCRIPT_LINT_H

#include <stdio.h>

#include "format/event_format.h"
#include "lib/error.h"

/* What the handlers are held against. */
struct script_lint_formats {
	/* NULL: the kernel has no such event. */
	const struct event_format *(*find)(const void *data, const char *system,
					   const char *name);
	const void *data;
};

/*
 * Print a line per handler and parameter of the script in @path (a file) that
 * gets no value, or that of another field; *ret_broken handlers have one.
 * A script that is no Python is an error.
 */
struct error *script_lint(const char *path, const struct script_lint_formats *formats, FILE *out,
			  size_t *ret_broken);

#endif
