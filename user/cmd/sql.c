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
	const char *input, *query;
	bool csv, json, force;
};

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
	sqlite3 *db;
	struct error *err;

	if (!c->input && access(RECORDING_DEFAULT, F_OK))
		return error_hint(error_new(ENOENT, "There is no " RECORDING_DEFAULT " here"),
				  "'ktrace record' makes one; 'ktrace sql FILE QUERY' reads another");
	err = recording_db_open(c->input ? c->input : RECORDING_DEFAULT, &db);
	if (err)
		return err;
	err = c->query ? run_statements(c, db, c->query) : run_input(c, db, ret_status);
	sqlite3_close(db);
	return err;
}

struct error *cmd_sql(int argc, char **argv, int *ret_status)
{
	struct sql_command c = { 0 };
	const struct option_spec options[] = {
		{ OPTION_STRING, 'i', "input", "FILE", "read FILE (perf.data)", &c.input, NULL },
		{ OPTION_FLAG, 0, "csv", NULL, "print values separated by commas", &c.csv, NULL },
		{ OPTION_FLAG, 'j', "json", NULL, "print a JSON list of objects", &c.json, NULL },
		RECORDING_FORCE_OPTION(c.force),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "sql",
		.synopsis = "[OPTIONS] [RECORDING] [QUERY]",
		.details = "; without QUERY, queries are read from standard input",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	/* A query is no name of a file. */
	if (index < argc && !c.input && (argc - index == 2 || !access(argv[index], F_OK)))
		c.input = argv[index++];
	if (index < argc)
		c.query = argv[index++];
	err = options_no_argument(&usage, argc, argv, index);
	if (!err && c.csv && c.json)
		err = error_new(EINVAL, "sql prints --csv or --json, not both");
	return err ? err : sql_run(&c, ret_status);
}
