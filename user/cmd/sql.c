// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "format/caret.h"
#include "lib/cleanup.h"
#include "lib/options.h"
#include "lib/strbuf.h"
#include "sql/recording_db.h"
#include "sql/result_text.h"

struct sql_command {
	struct recording_inputs inputs;
	const char *query;
	bool csv, json, force;
};

static void sql_command_deinit(struct sql_command *c)
{
	recording_inputs_deinit(&c->inputs);
}
DEFINE_CLEANUP(sql_command, struct sql_command, sql_command_deinit)

/* Show where a statement is wrong, if SQLite says so. */
static struct error *bad_statement(sqlite3 *db, const char *statement)
{
	int at = sqlite3_error_offset(db);

	if (at < 0 || (size_t)at > strlen(statement))
		return error_new(EINVAL, "The query cannot be understood: %s", sqlite3_errmsg(db));
	return error_hint(caret_error(statement, at, "The query has an error, %s",
				      sqlite3_errmsg(db)),
			  "'ktrace sql \"select name, sql from sqlite_schema\"' lists the tables and "
			  "their columns");
}

/* Run all statements of a text, up to the first one that fails. */
static struct error *run_statements(const struct sql_command *c, sqlite3 *db, const char *text)
{
	enum result_format format = c->json ? RESULT_JSON : c->csv ? RESULT_CSV : RESULT_TABLE;
	struct error *err = NULL;

	while (*text && !err && !ferror(stdout)) {
		sqlite3_stmt *statement;
		const char *rest;

		if (sqlite3_prepare_v2(db, text, -1, &statement, &rest))
			return bad_statement(db, text);
		if (statement)
			err = result_text_print(statement, format);
		sqlite3_finalize(statement);
		text = rest;
	}
	return err;
}

/* Take statements from standard input, one after the other; a wrong one does not end it. */
static struct error *run_input(const struct sql_command *c, sqlite3 *db, int *ret_status)
{
	bool is_terminal = isatty(STDIN_FILENO);
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *line = NULL;
	size_t alloc = 0;
	ssize_t len;

	if (is_terminal)
		fputs("Queries end with ';'. \"select name from sqlite_schema;\" lists the tables.\n",
		      stderr);
	for (;;) {
		struct error *err;

		if (is_terminal)
			fputs(text.len ? "   ...> " : "ktrace> ", stderr);
		len = getline(&line, &alloc, stdin);
		if (len > 0)
			strbuf_add(&text, line, len);
		if (text.failed)
			return &error_no_memory;
		if (len > 0 && !sqlite3_complete(strbuf_str(&text)))
			continue;
		err = run_statements(c, db, strbuf_str(&text));
		fflush(stdout);
		strbuf_reset(&text);
		if (err && !is_terminal)
			return err;
		*ret_status = err ? 1 : 0;
		if (err)
			error_report(err);
		if (len <= 0 || ferror(stdout))
			break;
	}
	if (is_terminal)
		fputc('\n', stderr);
	return NULL;
}

static struct error *sql_run(const struct sql_command *c, int *ret_status)
{
	static const char *const own[] = { RECORDING_DEFAULT };
	bool given = c->inputs.nr;
	sqlite3 *db;
	struct error *err;

	if (!given && access(RECORDING_DEFAULT, F_OK))
		return error_hint(error_new(ENOENT, "There is no " RECORDING_DEFAULT " here"),
				  "'ktrace record' makes one; 'ktrace sql FILE QUERY' reads another");
	err = recording_db_open(given ? c->inputs.items : own, given ? c->inputs.nr : 1, &db);
	if (err)
		return err;
	err = c->query ? run_statements(c, db, c->query) : run_input(c, db, ret_status);
	sqlite3_close(db);
	return err;
}

/*
 * Take the recordings among the words.  A query is no name of a file, but a word before it is one,
 * whatever it holds, and so is one that stands alone if there is such a file.
 */
static struct error *take_query_words(struct sql_command *c, int argc, char **argv, int *ret_nr)
{
	bool given = c->inputs.nr;
	struct error *err = recording_take_words(&c->inputs, argc, argv, ret_nr);
	int left = argc - *ret_nr;

	if (!err && !given && (left == 2 || (left == 1 && !*ret_nr && !access(argv[0], F_OK))))
		err = recording_add_input(&c->inputs, argv[(*ret_nr)++]);
	return err;
}

struct error *cmd_sql(int argc, char **argv, int *ret_status)
{
	_cleanup_(sql_command) struct sql_command c = { 0 };
	const struct option_spec options[] = {
		{ OPTION_CALLBACK, 'i', "input", "FILE",
		  "read FILE (perf.data); several files are read as one", &c.inputs,
		  recording_add_input },
		{ OPTION_FLAG, 0, "csv", NULL, "print values separated by commas", &c.csv, NULL },
		{ OPTION_FLAG, 'j', "json", NULL, "print a JSON list of objects", &c.json, NULL },
		RECORDING_FORCE_OPTION(c.force),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "sql",
		.synopsis = "[OPTIONS] [RECORDINGS] [QUERY]",
		.details = "; without QUERY, queries are read from standard input",
		.options = options,
	};
	struct error *err;
	int index, nr = 0;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	err = take_query_words(&c, argc - index, argv + index, &nr);
	if (err)
		return err;
	index += nr;
	if (index < argc)
		c.query = argv[index++];
	err = options_no_argument(&usage, argc, argv, index);
	if (!err && c.csv && c.json)
		err = error_new(EINVAL, "sql prints --csv or --json, not both");
	return err ? err : sql_run(&c, ret_status);
}
