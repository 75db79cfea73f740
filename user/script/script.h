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
 *
 * The path from a record to a handler:
 *
 *	session/session			finds a record's event, format and task, in the order of
 *					time, and gives it to script_consumer()
 *
 *	handlers/py_handlers		Scripts of perf's form (script_open()): finds the function
 *					SYSTEM__NAME() or process_event(),
 *	handlers/py_binding		binds the parameters to values on the event's first sample
 *					(py_signature reads them, py_form has the rules),
 *	handlers/py_args		makes the arguments, and calls the function.
 *	handlers/py_sample_dict		The argument that is a dict (py_place, py_branches).
 *	handlers/py_record_handlers	Records other than samples (py_stat: counts).
 *	handlers/py_export		Rows for the scripts that fill databases.
 *
 *	py_event_script			Event scripts (event_script_open()): finds the function
 *					SYSTEM__NAME() or __sample__(), and calls it with
 *	objects/py_object		the sample, which is decoded when the function reads it
 *					(py_kinds: names, py_member: values, py_frame: call chain),
 *	objects/py_record_object	or another record, for __record__().
 *
 *	columns/py_on_batch		Both kinds of script: on_batch(), which gets columns.
 */
#ifndef KTRACE_SCRIPT_SCRIPT_H
#define KTRACE_SCRIPT_SCRIPT_H

#include <stdbool.h>

#include "format/event_format.h"
#include "record/event.h"
#include "session/session.h"

/* A language, by the name in `-s lang:file` and by file extension. */
struct script_language {
	const char *name;	/* "Python" */
	const char *extension;	/* "py" */
	const char *plugin;	/* exports "script_" and this name; NULL: not built */
};

/* Find the row for a name or an extension, ignoring case.  NULL: unknown. */
const struct script_language *script_language_find(const char *text);

/* Print the languages as `-s lang` does: "Python    [py]" ... */
void script_languages_print(void);

/*
 * The folder of the analyses: PERF_EXEC_PATH from the environment, else our own.  The first call
 * sets the variable if it is unset.  The string is static.
 */
const char *script_exec_path(void);

/*
 * Find the file that @spec names: "FILE", "LANG:FILE", or "NAME.py" in scripts/python of
 * script_exec_path().  The caller frees *ret.  It is an error if the language is unknown
 * or not built in.
 */
struct error *script_find(const char *spec, char **ret);

/*
 * Whether the sources of frames have their folders (--full-source-path).  It is set before
 * script_open().
 */
extern bool script_full_source_path;

/*
 * Points to uname's name of the recorded machine, which may arrive while a pipe is read.  NULL, or
 * pointing to NULL: this machine.  Borrowed.  It selects the names of system calls.
 */
extern char *const *script_arch;

struct script;

/*
 * Start the interpreter and run the body of @path, which is a spec as for script_find().
 * @argv[0] is the script's name, the rest are its arguments.  Only one script can be open
 * at a time.
 */
struct error *script_open(const char *path, int argc, char **argv, struct script **ret);

/*
 * This becomes nonzero when the user interrupts (SIGINT).  The session then ends and
 * trace_end() runs.  A second SIGINT interrupts the script itself.
 */
volatile int *script_stop(struct script *script);

/* Call trace_begin() of the script. */
struct error *script_begin(struct script *script);

/*
 * Continue when a handler has failed.  The first ten failures are reported, and script_close()
 * gives status 1.  This must be called before script_begin().
 */
void script_keep_going(struct script *script);

/* The consumer that calls the script's handlers. */
struct session_consumer *script_consumer(struct script *script);

/*
 * Warn of functions that are called like handlers of no event in @events, but nearly like one that
 * has no handler.  All events are known when the recording was read.
 */
void script_tell_uncalled(struct script *script, const struct formats *formats,
			  const struct event_list *events);

/*
 * End the script and destroy it; @script may be NULL.  @run is the result of everything since
 * script_open(); if it is NULL, trace_end() is called.  Returns the error to report: @run, or that
 * of trace_end(). sys.exit() is not an error.  *ret_status is the exit status that the script set,
 * else 0, or 1 if handlers have failed.
 */
struct error *script_close(struct script *script, struct error *run, int *ret_status);

/*
 * Write perf-script.py into the current directory: a script with a handler for each
 * tracepoint of @events that has its event format in @formats.  If @events has no
 * tracepoints, it gets one for every format.  The handlers print their events.  @language
 * is the argument of `-g`.
 */
struct error *script_generate(const char *language, const struct formats *formats,
			      const struct event_list *events);

#endif
