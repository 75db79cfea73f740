/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scripts as consumers of a session.
 */
#ifndef KTRACE_SCRIPT_SCRIPT_H
#define KTRACE_SCRIPT_SCRIPT_H

#include "record/event.h"
#include "session/session.h"

/* NULL-terminated rows: languages of `-s lang:file` and by file extension. */
struct script_language {
	const char *name;	/* "Python" */
	const char *extension;	/* "py" */
	bool built;		/* false: known by name only */
};
extern const struct script_language script_languages[];

struct script;

/*
 * Start the interpreter and run the body of @path; @argv[0] is the script's
 * name, the rest its arguments.  A script is looked for as given, then in
 * PERF_EXEC_PATH/scripts/python.
 */
struct error *script_open(const char *path, int argc, char **argv, struct script **ret);

/* trace_begin() of the script. */
struct error *script_begin(struct script *script);

/* Its handlers. */
struct session_consumer *script_consumer(struct script *script);

/* trace_end(), unless @failed; the script is destroyed.  *ret_status: sys.exit()'s. */
struct error *script_close(struct script *script, bool failed, int *ret_status);

#endif
