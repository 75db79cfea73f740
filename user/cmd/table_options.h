/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of commands that print a table.
 */
#ifndef KTRACE_CMD_TABLE_OPTIONS_H
#define KTRACE_CMD_TABLE_OPTIONS_H

#include "table/print/table_print.h"
#include "terminal/options.h"

/*
 * @data is the struct table_output whose format is set; the last option counts.  @argument is the
 * separator of CSV, NULL: a comma.
 */
struct error *table_ask_csv(void *data, const char *argument);
struct error *table_ask_json(void *data, const char *argument);

/* Rows of an option table, for @output, a struct table_output *. */
#define TABLE_FORMAT_OPTIONS(output) \
	OPT_CALL("csv", output, table_ask_csv), \
	OPT_CALL("json", output, table_ask_json)

/*
 * The same for commands where perf's -x takes a separator.  No arguments may follow the options
 * then.
 */
#define TABLE_SEPARATOR_OPTIONS(output) \
	OPT_CALL_NEXT("csv", output, table_ask_csv), \
	OPT_CALL("field-separator", output, table_ask_csv), \
	OPT_CALL("json", output, table_ask_json)

#endif
