/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Analyses that come with a way to record for them: NAME.py in scripts/python
 * of script_exec_path(), with bin/NAME-record and bin/NAME-report beside it.
 * The report file says what the analysis is, in comments:
 *
 *	# description: how long woken tasks wait for a CPU
 *	# args: [comm]
 *
 * Arguments in <> are required, those in [] are not.
 */
#ifndef KTRACE_SCRIPT_SCRIPT_LIST_H
#define KTRACE_SCRIPT_SCRIPT_LIST_H

#include "lib/error.h"

/* `script -l`: all of them on stdout. */
struct error *script_list_print(void);

/* Whether @name is one. */
bool script_list_has(const char *name);

/* Options of `ktrace script` for the report, which stood before the script's name. */
struct script_list_options {
	char **words;
	size_t nr;
};

/*
 * `script record NAME [OPTIONS] [COMMAND]` and `script report NAME [ARGS]`:
 * run bin/NAME-@step ("record" or "report") with argv[0..argc) in place of
 * this process.  @options are for a report.  Returns only when that failed.
 */
struct error *script_list_exec(const char *name, const char *step,
			       const struct script_list_options *options, int argc, char **argv);

/*
 * `script NAME [ARGS] [COMMAND]`: record and report at the same time, through
 * a pipe, until the command ends or the user interrupts.  The first words go
 * to the script as far as it requires them, all of them to one whose name ends
 * in "top".  *ret_status is the report's, and where that is 0 the recorder's,
 * which is the command's; no recorder is left behind.
 */
struct error *script_list_live(const char *name, const struct script_list_options *options,
			       int argc, char **argv, int *ret_status);

#endif
