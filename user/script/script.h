/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scripts as consumers of a session.
 *
 *	err = script_open(path, argc, argv, &script);
 *	if (!err) {
 *		session.stop = script_stop(script);
 *		err = script_begin(script);
 *	}
 *	if (!err)
 *		err = session_run(&session, script_consumer(script));
 *	return script_close(script, err, ret_status);
 *
 * The handlers a script can have are described in ktrace-script-python.rst.
 */
#ifndef KTRACE_SCRIPT_SCRIPT_H
#define KTRACE_SCRIPT_SCRIPT_H

#include <stdbool.h>

#include "format/event_format.h"
#include "record/event.h"
#include "session/session.h"

/* NULL-terminated rows: languages of `-s lang:file` and by file extension. */
struct script_language {
	const char *name;	/* "Python" */
	const char *extension;	/* "py" */
	const char *plugin;	/* its script_ops: "script_" and this name; NULL: not built */
};
extern const struct script_language script_languages[];

/* The row for a name or an extension, in any case; NULL: unknown. */
const struct script_language *script_language_find(const char *text);

/* "Python    [py]" ..., as `-s lang` prints it. */
void script_languages_print(void);

/*
 * The folder that holds our scripts/python: that of the tree ktrace runs from,
 * else where it was installed; static.
 */
const char *script_own_path(void);

/*
 * The one to use: PERF_EXEC_PATH from the environment, else our own, which
 * the first call puts there; static.
 */
const char *script_exec_path(void);

/*
 * The file that @spec names: "FILE", "LANG:FILE", or a NAME.py that lies in
 * scripts/python of script_exec_path().  free() it.  An unknown language or
 * one that is not built is an error.
 */
struct error *script_find(const char *spec, char **ret);

struct script;

/*
 * Start the interpreter and run the body of @path, as script_find() takes it;
 * @argv[0] is the script's name, the rest its arguments.  One at a time.
 */
struct error *script_open(const char *path, int argc, char **argv, struct script **ret);

/*
 * Becomes nonzero when the user interrupts (SIGINT): the session then ends and
 * trace_end() runs.  A second SIGINT interrupts the script itself.
 */
volatile int *script_stop(struct script *script);

/* trace_begin() of the script. */
struct error *script_begin(struct script *script);

/*
 * Go on when a handler has failed, which is told each time, at most ten times;
 * script_close() then gives status 1.  Before script_begin().
 */
void script_keep_going(struct script *script);

/* Its handlers. */
struct session_consumer *script_consumer(struct script *script);

/*
 * End the script and destroy it; @script may be NULL.  @run says how it went
 * until now, from script_open() on; NULL: trace_end() runs.  Returns what is
 * to be reported: @run, or the error of trace_end(); sys.exit() is none.
 * *ret_status: the exit status the script asked for, 0 otherwise.
 */
struct error *script_close(struct script *script, struct error *run, int *ret_status);

/*
 * Write perf-script.py into the current directory: a script with one handler
 * for each tracepoint of @events whose format is in @formats (for every format
 * when @events has none), which prints the event.  @language as in `-g lang`.
 */
struct error *script_generate(const char *language, const struct formats *formats,
			      const struct event_list *events);

#endif
