/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Analyses that come with a way to record for them: NAME.py in scripts/python of
 * script_exec_path(), with bin/NAME-record and bin/NAME-report beside it.  Comments in the report
 * file have the question that the analysis answers:
 *
 *	# description: How long do woken tasks wait for a CPU?
 *	# args: [comm]
 *
 * Arguments in <> are required, those in [] are not. bin/groups has the order in which they are
 * listed.
 */
#ifndef KTRACE_SCRIPT_SCRIPT_LIST_H
#define KTRACE_SCRIPT_SCRIPT_LIST_H

#include "lib/error.h"
#include "lib/strbuf.h"

/*
 * Print all analyses to stdout, for `script -l`: as groups on a terminal, else a line for each.
 */
struct error *script_list_print(void);

/* Append the names of the analyses that read recordings, one a line. */
struct error *script_list_add_names(struct strbuf *ret);

/* Whether there is an analysis of this name. */
bool script_list_has(const char *name);

/*
 * The error that a script of perf does not exist here, with its replacement; NULL: perf has none of
 * this name.  ".py" at the end is ignored.
 */
struct error *script_list_refuse(const char *name);

/* Options before the script's name on the command line, which are for the report. */
struct script_list_options {
	char **words;
	size_t nr;
};

/*
 * `script record NAME [OPTIONS] [COMMAND]` and `script report NAME [ARGS]`: replace this
 * process by bin/NAME-@step ("record" or "report"), with the arguments argv[0..argc).
 * @options are for a report.  Returns only if that failed.
 */
struct error *script_list_exec(const char *name, const char *step,
			       const struct script_list_options *options, int argc, char **argv);

/*
 * `script NAME [ARGS] [COMMAND]`: record and report at the same time, through a pipe, until the
 * command ends or the user interrupts.  The script gets the required number of first arguments; a
 * script whose name ends in "top" gets all of them.  *ret_status is the status of the report or, if
 * that is 0, the status of the recorder, which is that of the command.  The recorder has ended when
 * this returns.
 */
struct error *script_list_live(const char *name, const struct script_list_options *options,
			       int argc, char **argv, int *ret_status);

#endif
