// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "cmd/sql/sql_line.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/csv.h"
#include "lib/error.h"
#include "lib/escape.h"
#include "lib/json.h"
#include "lib/log.h"
#include "lib/number.h"
#include "lib/strbuf.h"
#include "spec/caret.h"
#include "sql/interruption.h"
#include "sql/recording_tables.h"
#include "sql/register.h"
#include "sql/sqlite_api.h"
#include "terminal/options.h"
#include "terminal/terminal.h"
#include "terminal/word_list.h"

/* Prints the rows of a query on standard output. */

enum result_format {
	RESULT_TABLE,	/* aligned columns below their names */
	RESULT_CSV,	/* RFC 4180, with a line of names */
	RESULT_JSON,	/* a list of objects */
};

/* The widths of a table's columns are those of the first rows. */
#define ROWS_MEASURED	1000

struct result {
	sqlite3_stmt *statement;
	int nr_columns;
	int *widths;
	struct strbuf digits;	/* of the last value of bytes */
	ARRAY_OF(char *) first;	/* the values of the first rows, row by row; owned */
};

static void result_deinit(struct result *result)
{
	array_free_each(&result->first);
	free(result->widths);
	strbuf_deinit(&result->digits);
}
DEFINE_CLEANUP(result, struct result, result_deinit)

static struct error *query_failed(sqlite3_stmt *statement)
{
	sqlite3 *db = sqlite3_db_handle(statement);

	if (sqlite3_errcode(db) == SQLITE_INTERRUPT)
		return error_new(EINTR, "The query was interrupted");
	return error_new(EIO, "The query failed: %s", sqlite3_errmsg(db));
}

/* Valid until the next call for this result.  Bytes have two digits each, as in exported files. */
static const char *column_text(struct result *result, int i)
{
	const unsigned char *bytes;
	const char *text;
	int nr;

	if (sqlite3_column_type(result->statement, i) != SQLITE_BLOB) {
		text = (const char *)sqlite3_column_text(result->statement, i);
		return text ? text : "";
	}
	bytes = sqlite3_column_blob(result->statement, i);
	nr = sqlite3_column_bytes(result->statement, i);
	strbuf_reset(&result->digits);
	for (int k = 0; k < nr; k++)
		number_add_hex(&result->digits, bytes[k], 2, '0');
	return strbuf_str(&result->digits);
}

static bool is_number(sqlite3_stmt *statement, int i)
{
	int type = sqlite3_column_type(statement, i);

	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* Print one value of a table; the last column needs no blanks behind it. */
static void print_cell(const struct result *result, int i, const char *text, bool right)
{
	_cleanup_(strbuf) struct strbuf cell = STRBUF_INIT;
	int width = result->widths[i];

	strbuf_addstr(&cell, text);
	escape_line_ends(&cell, 0);
	if (i + 1 == result->nr_columns && !right)
		width = 0;
	printf("%s%*s", i ? "  " : "", right ? width : -width, strbuf_str(&cell));
	if (i + 1 == result->nr_columns)
		putchar('\n');
}

/* Numbers are aligned to the right; @text of a measured row begins with a mark of its kind. */
static void print_measured(const struct result *result)
{
	for (size_t i = 0; i < result->first.nr; i++) {
		const char *text = result->first.items[i];

		print_cell(result, i % result->nr_columns, text + 1, *text == 'n');
	}
}

static void print_head(const struct result *result)
{
	for (int i = 0; i < result->nr_columns; i++)
		print_cell(result, i, sqlite3_column_name(result->statement, i),
			   result->first.nr && *result->first.items[i] == 'n');
	for (int i = 0; i < result->nr_columns; i++) {
		for (int k = 0; k < result->widths[i]; k++)
			putchar('-');
		fputs(i + 1 < result->nr_columns ? "  " : "\n", stdout);
	}
}

static void widen(struct result *result, int i, const char *text)
{
	int width = strlen(text);

	if (width > result->widths[i])
		result->widths[i] = width;
}

static bool measure_row(struct result *result)
{
	for (int i = 0; i < result->nr_columns; i++) {
		char *copy;

		if (asprintf(&copy, "%c%s", is_number(result->statement, i) ? 'n' : 't',
			     column_text(result, i)) < 0)
			return false;
		if (!array_push(&result->first, copy)) {
			free(copy);
			return false;
		}
		widen(result, i, copy + 1);
	}
	return true;
}

static struct error *print_table(struct result *result)
{
	int status = SQLITE_ROW;

	result->widths = calloc(result->nr_columns, sizeof(*result->widths));
	if (!result->widths)
		return &error_no_memory;
	for (int i = 0; i < result->nr_columns; i++)
		widen(result, i, sqlite3_column_name(result->statement, i));
	for (int row = 0; row < ROWS_MEASURED && status == SQLITE_ROW; row++) {
		status = sqlite3_step(result->statement);
		if (status == SQLITE_ROW && !measure_row(result))
			return &error_no_memory;
	}
	if (status != SQLITE_ROW && status != SQLITE_DONE)
		return query_failed(result->statement);
	print_head(result);
	print_measured(result);
	while (status == SQLITE_ROW && !ferror(stdout) &&
	       (status = sqlite3_step(result->statement)) == SQLITE_ROW)
		for (int i = 0; i < result->nr_columns; i++)
			print_cell(result, i, column_text(result, i),
				   is_number(result->statement, i));
	return status == SQLITE_DONE || ferror(stdout) ? NULL : query_failed(result->statement);
}

static void print_csv_value(struct strbuf *line, const char *text, bool is_a_number, bool is_last)
{
	if (is_a_number)
		strbuf_addstr(line, text);
	else
		csv_add_text(line, text, strlen(text));
	strbuf_addch(line, is_last ? '\n' : ',');
	if (!is_last)
		return;
	fputs(strbuf_str(line), stdout);
	strbuf_reset(line);
}

static struct error *print_csv(struct result *result)
{
	_cleanup_(strbuf) struct strbuf line = STRBUF_INIT;
	int status = SQLITE_DONE, last = result->nr_columns - 1;

	for (int i = 0; i < result->nr_columns; i++)
		print_csv_value(&line, sqlite3_column_name(result->statement, i), false, i == last);
	while (!ferror(stdout) && (status = sqlite3_step(result->statement)) == SQLITE_ROW)
		for (int i = 0; i < result->nr_columns; i++)
			print_csv_value(&line, column_text(result, i),
					is_number(result->statement, i), i == last);
	if (line.failed)
		return &error_no_memory;
	return ferror(stdout) || status == SQLITE_DONE ? NULL : query_failed(result->statement);
}

static void add_json_value(struct json_writer *json, struct result *result, int i)
{
	sqlite3_stmt *statement = result->statement;
	const char *name = sqlite3_column_name(statement, i);

	switch (sqlite3_column_type(statement, i)) {
	case SQLITE_INTEGER:
		json_add_signed(json, name, sqlite3_column_int64(statement, i));
		break;
	case SQLITE_FLOAT:
		json_add_double(json, name, sqlite3_column_double(statement, i));
		break;
	case SQLITE_NULL:
		json_add_null(json, name);
		break;
	case SQLITE_BLOB:
		json_add_text(json, name, column_text(result, i));
		break;
	default:
		json_add_bytes(json, name, column_text(result, i),
			       sqlite3_column_bytes(statement, i));
	}
}

static struct error *print_json_rows(struct result *result)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct json_writer json = { .out = &text };
	int status = SQLITE_DONE;

	json_begin_array(&json, NULL);
	while (!ferror(stdout) && (status = sqlite3_step(result->statement)) == SQLITE_ROW) {
		json_begin_row(&json, NULL);
		for (int i = 0; i < result->nr_columns; i++)
			add_json_value(&json, result, i);
		json_end_object(&json);
		if (text.failed)
			return &error_no_memory;
		fwrite(text.data, 1, text.len, stdout);
		strbuf_reset(&text);
	}
	json_end_array(&json);
	json_end(&json);
	if (text.failed)
		return &error_no_memory;
	fwrite(strbuf_str(&text), 1, text.len, stdout);
	return ferror(stdout) || status == SQLITE_DONE ? NULL : query_failed(result->statement);
}

/*
 * Run @statement to its end and print its rows; one without rows, such as CREATE, prints
 * nothing.
 */
static struct error *result_text_print(sqlite3_stmt *statement, enum result_format format)
{
	_cleanup_(result) struct result result = {
		.statement = statement, .nr_columns = sqlite3_column_count(statement),
	};
	struct error *err;

	if (!result.nr_columns)
		return sqlite3_step(statement) == SQLITE_DONE ? NULL : query_failed(statement);
	switch (format) {
	case RESULT_CSV:
		err = print_csv(&result);
		break;
	case RESULT_JSON:
		err = print_json_rows(&result);
		break;
	default:
		err = print_table(&result);
	}
	return !err && result.digits.failed ? &error_no_memory : err;
}

/* A database in memory whose tables are those of recordings. */

static struct error *fill_db(sqlite3 *db, struct sql_recordings *recordings,
			     const char *const *paths, size_t nr)
{
	_cleanup_(sample_tables) struct sample_tables *tables = NULL;
	struct error *err;
	size_t number;

	err = sql_recordings_open(recordings, paths, nr, &number, &tables);
	if (!err)
		err = sql_register(db, recordings);
	return err ? err : recording_tables_create(db, "main", number, tables);
}

static const sqlite3_vfs *whole_vfs;

/* Other databases are only read; SQLite may write its own temporary files. */
static int open_readonly(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
			 int *ret)
{
	if (flags & SQLITE_OPEN_MAIN_DB) {
		flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
		flags |= SQLITE_OPEN_READONLY;
	}
	return whole_vfs->xOpen(vfs, path, file, flags, ret);
}

/* The name of a way to files by which no statement writes one; NULL: SQLite does not start. */
static const char *readonly_vfs(void)
{
	static sqlite3_vfs vfs;

	if (!whole_vfs) {
		/* An address of a file could name another way. */
		sqlite3_config(SQLITE_CONFIG_URI, 0);
		whole_vfs = sqlite3_vfs_find(NULL);
		if (!whole_vfs)
			return NULL;
		vfs = *whole_vfs;
		vfs.zName = "ktrace-readonly";
		vfs.xOpen = open_readonly;
		sqlite3_vfs_register(&vfs, false);
	}
	return vfs.zName;
}

/*
 * Open one recording, or several as one.  To be closed with sqlite3_close().  Each path must be a
 * file that can be read repeatedly.  @rules defines the messages by which the clocks of the hosts
 * are compared (NULL: the known ones); it lives as long as the database.  No statement writes a
 * file: other attached databases can only be read.
 */
static struct error *recording_db_open(const char *const *paths, size_t nr,
				       const struct traffic_rules *rules, sqlite3 **ret)
{
	struct sql_recordings *recordings;
	struct error *err;
	sqlite3 *db;

	if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			    readonly_vfs())) {
		err = db ? error_new(EIO, "SQLite does not start: %s", sqlite3_errmsg(db)) :
			   &error_no_memory;
		sqlite3_close(db);
		return err;
	}
	recordings = sql_recordings_create();
	if (recordings)
		recordings->rules = rules;
	err = recordings ? fill_db(db, recordings, paths, nr) : &error_no_memory;
	sql_recordings_put(recordings);
	if (err)
		sqlite3_close(db);
	else
		*ret = db;
	return err;
}

/* Runs statements of SQL from a text, from a script on standard input, or from a user who types. */

struct sql_shell {
	sqlite3 *db;
	enum result_format format;
	bool ended;
	struct strbuf text;	/* of an incomplete statement */
};

/* For a signal handler: the database whose query it interrupts. */
static sqlite3 *interrupted_db;

static const char *const format_names[] = {
	[RESULT_TABLE] = "table", [RESULT_CSV] = "csv", [RESULT_JSON] = "json",
};

/* Show the location of an error in a statement, if SQLite reports one. */
static struct error *bad_statement(sqlite3 *db, const char *statement)
{
	int at = sqlite3_error_offset(db);

	if (at < 0 || (size_t)at > strlen(statement))
		return error_new(EINVAL, "The query cannot be parsed: %s", sqlite3_errmsg(db));
	return error_hint(caret_error(statement, at, "The query has an error, %s",
				      sqlite3_errmsg(db)),
			  "The command .schema lists the tables and their columns");
}

static struct error *run_statements(struct sql_shell *shell, const char *text)
{
	struct error *err = NULL;

	while (*text && !err && !ferror(stdout)) {
		sqlite3_stmt *statement;
		const char *rest;

		if (sqlite3_prepare_v2(shell->db, text, -1, &statement, &rest))
			return bad_statement(shell->db, text);
		if (statement)
			err = result_text_print(statement, shell->format);
		sqlite3_finalize(statement);
		text = rest;
	}
	return err;
}

/* ---- commands ------------------------------------------------------------ */

/* Print the names in the first column of a query, a line each, as SQL writes them. */
static struct error *print_names(struct sql_shell *shell, const char *query)
{
	struct error *err = NULL;
	sqlite3_stmt *statement;
	int status;

	if (sqlite3_prepare_v2(shell->db, query, -1, &statement, NULL))
		return error_new(EIO, "The tables cannot be listed: %s", sqlite3_errmsg(shell->db));
	while ((status = sqlite3_step(statement)) == SQLITE_ROW)
		printf("%s\n", sqlite3_column_text(statement, 0));
	if (status != SQLITE_DONE)
		err = error_new(EIO, "The tables cannot be listed: %s", sqlite3_errmsg(shell->db));
	sqlite3_finalize(statement);
	return err;
}

/* Names that SQL accepts without quotes have none; names in main have no schema. */
#define WRITTEN_NAME	"iif(t.schema = 'main', '', t.schema || '.') || iif(t.name GLOB " \
			"'*[^a-zA-Z0-9_]*', '\"' || replace(t.name, '\"', '\"\"') || '\"', t.name)"
#define OWN_TABLES	"FROM pragma_table_list t WHERE t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"

static struct error *command_tables(struct sql_shell *shell, const char *argument)
{
	return print_names(shell, "SELECT " WRITTEN_NAME " AS written " OWN_TABLES
			   " ORDER BY t.schema <> 'main', written");
}

static struct error *print_schemas(sqlite3_stmt *statement, bool *ret_any)
{
	int status;

	while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
		_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;

		strbuf_addf(&out, "%s\n    ", sqlite3_column_text(statement, 0));
		terminal_add_wrapped(&out, (const char *)sqlite3_column_text(statement, 1), 4, 4,
				     TERMINAL_COLUMNS_MIN);
		if (out.failed)
			return &error_no_memory;
		printf("%s\n", out.data);
		*ret_any = true;
	}
	return status == SQLITE_DONE ? NULL :
	       error_new(EIO, "The columns cannot be listed: %s",
			 sqlite3_errmsg(sqlite3_db_handle(statement)));
}

/* Print tables with their columns: all of them, or that of a name, with or without quotes. */
static struct error *command_schema(struct sql_shell *shell, const char *argument)
{
	sqlite3_stmt *statement;
	struct error *err;
	bool any = false;

	if (sqlite3_prepare_v2(shell->db, "SELECT " WRITTEN_NAME " AS written, (SELECT "
			       "group_concat(name, ', ') FROM pragma_table_xinfo(t.name, t.schema)) "
			       OWN_TABLES " AND (?1 = '' OR t.name = ?1 COLLATE NOCASE OR "
			       "written = ?1 COLLATE NOCASE) ORDER BY t.schema <> 'main', written",
			       -1, &statement, NULL))
		return error_new(EIO, "The columns cannot be listed: %s", sqlite3_errmsg(shell->db));
	sqlite3_bind_text(statement, 1, argument, -1, SQLITE_STATIC);
	err = print_schemas(statement, &any);
	sqlite3_finalize(statement);
	if (!err && !any && *argument)
		err = error_hint(error_new(ENOENT, "There is no table %s", argument),
				 ".tables lists them");
	return err;
}

static struct error *command_mode(struct sql_shell *shell, const char *argument)
{
	unsigned int format;
	struct error *err;

	if (!*argument) {
		printf("%s\n", format_names[shell->format]);
		return NULL;
	}
	err = word_parse(WORDS(format_names), "There is no output mode", argument, &format);
	if (!err)
		shell->format = format;
	return err;
}

static struct error *command_quit(struct sql_shell *shell, const char *argument)
{
	shell->ended = true;
	return NULL;
}

static struct error *command_help(struct sql_shell *shell, const char *argument);

static const struct {
	const char *name, *synopsis, *text;
	struct error *(*run)(struct sql_shell *shell, const char *argument);
} commands[] = {
	{ ".help", "", "print this list", command_help },
	{ ".mode", " [table|csv|json]", "set how results are printed, or show it",
	  command_mode },
	{ ".quit", "", "leave; so does Ctrl-D", command_quit },
	{ ".schema", " [TABLE]", "list the columns of a table, or of all tables", command_schema },
	{ ".tables", "", "list the tables", command_tables },
};

static struct error *command_help(struct sql_shell *shell, const char *argument)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("%s%-*s  %s\n", commands[i].name, (int)(24 - strlen(commands[i].name)),
		       commands[i].synopsis, commands[i].text);
	printf("Everything else is SQL, which ends with ';' and may take several lines.\n");
	return NULL;
}

/* A list that ends with NULL. */
static const char *const *command_names(void)
{
	static const char *names[ARRAY_SIZE(commands) + 1];

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i].name;
	return names;
}

static struct error *run_shell_command(struct sql_shell *shell, const char *line)
{
	_cleanup_free_ char *copy = strdup(line);
	size_t name, len;
	char *argument;

	if (!copy)
		return &error_no_memory;
	len = strlen(copy);
	while (len && strchr(" \t\r\n;", copy[len - 1]))
		copy[--len] = '\0';
	name = strcspn(copy, " \t");
	argument = copy + name + strspn(copy + name, " \t");
	copy[name] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(copy, commands[i].name))
			return commands[i].run(shell, argument);
	return error_hint(error_new(EINVAL, "There is no command %s", copy),
			  ".help lists the commands");
}

/* ---- lines --------------------------------------------------------------- */

static bool is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

/* Add a line, and run the statements that it completes. */
static struct error *take_query_line(struct sql_shell *shell, const char *line)
{
	struct error *err;

	if (is_blank(strbuf_str(&shell->text))) {
		strbuf_reset(&shell->text);
		if (*line == '.')
			return run_shell_command(shell, line);
		if (is_blank(line))
			return NULL;
	}
	strbuf_addstr(&shell->text, line);
	if (shell->text.failed)
		return &error_no_memory;
	if (!sqlite3_complete(shell->text.data))
		return NULL;
	err = run_statements(shell, shell->text.data);
	strbuf_reset(&shell->text);
	return err;
}

static struct error *run_query_script(struct sql_shell *shell)
{
	_cleanup_free_ char *line = NULL;
	struct error *err = NULL;
	size_t alloc = 0;

	while (!err && !shell->ended && !ferror(stdout) && getline(&line, &alloc, stdin) > 0) {
		err = take_query_line(shell, line);
		fflush(stdout);
	}
	/* The last statement needs no semicolon. */
	if (!err && !shell->ended)
		err = run_statements(shell, strbuf_str(&shell->text));
	return err;
}

static void interrupt_query(int signal)
{
	sql_interrupted = 1;
	sqlite3_interrupt(interrupted_db);
}

static struct error *run_typed(struct sql_shell *shell)
{
	_cleanup_(sql_line_editor) struct sql_line_editor *editor = NULL;
	/* Not restarted, so that the wait for a key ends. */
	struct sigaction interrupt = { .sa_handler = interrupt_query }, before;
	enum sql_line_status status = SQL_LINE_READ;
	struct error *err = sql_line_editor_create(shell->db, command_names(), &editor);

	if (err)
		return err;
	interrupted_db = shell->db;
	sigaction(SIGINT, &interrupt, &before);
	fprintf(stderr, "Queries end with ';'. .tables lists the tables, .help the commands.\n");
	if (!sql_line_can_edit())
		fprintf(stderr, "Lines cannot be edited, because ktrace was built without libedit "
			"(Debian's libedit-dev).\n");
	while (status != SQL_LINE_END && !shell->ended && !ferror(stdout)) {
		const char *line;

		sql_interrupted = 0;
		status = sql_line_read(editor, shell->text.len ? "   ...> " : "ktrace> ", &line);
		if (status == SQL_LINE_ABANDONED)
			strbuf_reset(&shell->text);
		if (status != SQL_LINE_READ)
			continue;
		err = take_query_line(shell, line);
		fflush(stdout);
		/* End the line in which the terminal shows Ctrl-C. */
		if (sql_interrupted)
			fputc('\n', stderr);
		if (err)
			error_report(err);
	}
	sigaction(SIGINT, &before, NULL);
	return NULL;
}

/* Run one command, or all statements of @text up to the first one that fails. */
static struct error *sql_shell_query(sqlite3 *db, const char *text, enum result_format format)
{
	struct sql_shell shell = { .db = db, .format = format };

	return *text == '.' ? run_shell_command(&shell, text) : run_statements(&shell, text);
}

/*
 * Read statements and commands from standard input.  On a terminal an error is printed and the next
 * line is read.  In a script an error is the end.
 */
static struct error *sql_shell_run(sqlite3 *db, enum result_format format)
{
	struct sql_shell shell = { .db = db, .format = format, .text = STRBUF_INIT };
	struct error *err = isatty(STDIN_FILENO) ? run_typed(&shell) : run_query_script(&shell);

	strbuf_deinit(&shell.text);
	return err;
}

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

static struct error *sql_run(const struct sql_command *c)
{
	enum result_format format = c->json ? RESULT_JSON : c->csv ? RESULT_CSV : RESULT_TABLE;
	static const char *const own[] = { RECORDING_DEFAULT };
	bool given = c->inputs.nr;
	sqlite3 *db = NULL;
	struct error *err;

	if (!given && access(RECORDING_DEFAULT, F_OK))
		return error_hint(error_new(ENOENT, "There is no " RECORDING_DEFAULT " here"),
				  "'ktrace record' makes one; 'ktrace sql FILE QUERY' reads another");
	err = recording_check_match(&c->inputs);
	if (err)
		return err;
	err = recording_db_open(given ? c->inputs.items : own, given ? c->inputs.nr : 1,
				recording_traffic(&c->inputs), &db);
	if (err)
		return err;
	err = c->query ? sql_shell_query(db, c->query, format) : sql_shell_run(db, format);
	sqlite3_close(db);
	return err;
}

/*
 * Take the recordings among the arguments.  A query is not the name of a file.  An argument before
 * it is a recording, even if the file is none, and so is a single argument if such a file exists.
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
		OPT_CALL("input", &c.inputs, recording_add_input),
		RECORDING_MATCH_OPTION(c.inputs),
		OPT_FLAG("csv", &c.csv),
		OPT_FLAG("json", &c.json),
		RECORDING_FORCE_OPTION(c.force),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "sql",
		.synopsis = "[OPTIONS] [RECORDINGS] [QUERY]",
		.details = "; without QUERY, queries are read from standard input, on a terminal "
			   "by a shell",
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
	return err ? err : sql_run(&c);
}
