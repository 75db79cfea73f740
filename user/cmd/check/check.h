/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of `ktrace check`: the actions that its options select, apart from the search for
 * mistakes in formats.
 */
#ifndef KTRACE_CMD_CHECK_CHECK_H
#define KTRACE_CMD_CHECK_CHECK_H

#include <stdbool.h>

#include "check/coverage_file.h"
#include "check/finding.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "machine/action.h"
#include "symbol/elf/module_file.h"
#include "table/print/table_print.h"

/* The exit status is 0 if there are no findings. */
#define CHECK_FINDINGS 1
#define CHECK_NOT_CHECKED 2

/* check_module.c: the module whose events are checked.  It is loaded for the check if needed. */
struct check_module {
	struct module_file file;
	bool loaded;		/* we loaded it, so we remove it */
};

/* Load the module @path unless it is loaded.  file.items are the systems of its events. */
struct error *check_module_open(const char *path, struct check_module *ret);
void check_module_close(struct check_module *module);
DEFINE_CLEANUP(check_module, struct check_module, check_module_close)

/*
 * check_coverage.c: `check EVENT... -- COMMAND` reports fields and names that COMMAND does not
 * exercise.
 */

/*
 * Record all events of @results on all CPUs while @command (ended by NULL) runs, and add findings
 * for fields and names that it does not exercise.  It is an error if the command fails.  @file has
 * the coverage of earlier runs, and this run is added to it; NULL: there is no file.  If @command
 * is NULL, only the content of the file is evaluated.
 */
struct error *check_coverage_run(struct results *results, char **command,
				 struct coverage_file *file);

/* check_cost.c: `check --cost EVENT... -- COMMAND` measures the cost of each event. */

/*
 * Run @command (ended by NULL) repeatedly: without recording, and for each event and capture
 * method while all firings are recorded, or are rejected by a filter.  The costs and the
 * rates of the events are added to @results.  @pages is the size of each ring, as for -m of
 * record.
 */
struct error *check_cost_run(struct results *results, char **command, const char *pages);

/*
 * check_compare.c: `check --compare EVENT... -- COMMAND`: each firing is captured by all
 * available methods, and its record printed by all available printers; then all results are
 * compared.
 */

/*
 * Run @command once, and add differences between the captures of its events to @results.  It
 * is an error if they cannot be compared, because the command fails or records were lost.
 * @pages is the size of each ring, as for -m of record, and @kilobytes is the same size.
 */
struct error *check_compare_run(struct results *results, char **command, const char *pages,
				unsigned int kilobytes);

/*
 * check_expect.c: `check --expect` evaluates expectations in Python, by the package
 * ktrace.expect, and `check --learn` proposes some, by ktrace.learn.
 */

/*
 * Replace this process by ktrace.expect, which applies the packs or files in @list
 * ("sched,own.py") to the recording @input or while @command runs (either may be NULL),
 * with rings of @pages (-m; NULL: as usual).  With @dot, their machines are written to that folder
 * instead.  It returns only if that fails.
 */
struct error *check_expect_exec(const char *list, const char *input, const char *pages,
				const char *dot, char **command);

/*
 * Replace this process by ktrace.learn.  It writes the properties that held in all recordings
 * @files (ended by NULL) to the file @output (NULL: standard output), and automata to the folder
 * @dot (NULL: none).  It returns only if that fails.
 */
struct error *check_learn_exec(char **files, const char *output, const char *dot);

/*
 * check_monitor.c: `check --monitor` judges a recording by machines (machine/program.h), or has the
 * module judge events as they happen.
 */

struct monitor_options {
	const char *models;	/* --monitor: "a,b.dot", or "list"; NULL: it was not given */
	const char *input;	/* -i; NULL: perf.data, and for "list" the running kernel */
	const char *dot;	/* --dot; NULL: it was not given */
	char **command;		/* judge while it runs; NULL: none */
	bool all_tasks;		/* -a: judge all tasks, with or without a command */
	bool counts;		/* --counts */
	struct action_list *actions;	/* --action, --action-rate */
	struct table_output output;
};

/* Judge and print, or write the .dot file.  *ret_status is set only if not all keys are ok. */
struct error *check_monitor_run(const struct monitor_options *options, int *ret_status);

/* Append the names that --monitor accepts: "list, a, b". */
void check_monitor_add_names(struct strbuf *out);

#endif
