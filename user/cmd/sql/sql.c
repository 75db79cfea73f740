// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "cmd/sql/sql_shell.h"
#include "lib/cleanup.h"
#include "sql/recording_db.h"
#include "terminal/options.h"

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
	sqlite3 *db;
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
 * it is a recording, whatever the file holds, and so is a single argument if such a file exists.
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
