/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks, without running a Python script, which of its handlers would break with the
 * event formats of a kernel.
 */
#ifndef KTRACE_SCRIPT_SCRIPT_LINT_H
#define KTRACE_SCRIPT_SCRIPT_LINT_H

#include <stdio.h>

#include "format/event_format.h"
#include "lib/error.h"

/* The event formats to check the handlers against. */
struct script_lint_formats {
	/* Returns NULL if the kernel has no such event. */
	const struct event_format *(*find)(const void *data, const char *system,
					   const char *name);
	/* Returns the event whose handler has the name most similar to @handler, or NULL. */
	const struct event_format *(*find_near)(const void *data, const char *handler);
	const void *data;
};

struct script_lint_counts {
	size_t handlers;	/* including handlers that are never called */
	size_t broken;		/* handlers with a printed line */
};

/*
 * Check the script in the file @path.  For each handler and each of its parameters that
 * would get no value, or the value of another field, print a line to @out.  A function that the
 * script does not use gets a line if its name is that of a handler with a typing error.  It is an
 * error if the file is not valid Python.
 */
struct error *script_lint(const char *path, const struct script_lint_formats *formats, FILE *out,
			  struct script_lint_counts *ret);

#endif
