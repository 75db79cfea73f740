/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A command is one row in commands.def and one file.  It connects a source, a session and a
 * sink, and returns the exit status.
 */
#ifndef KTRACE_CMD_COMMAND_H
#define KTRACE_CMD_COMMAND_H

#include "lib/error.h"
#include "terminal/options.h"
#include "terminal/words.h"

/*
 * @argv[0] is the command's name.  main() reports an error that is returned; the exit status
 * is then 1, or for EINVAL, a wrong command line, 129 as with perf.  Otherwise the exit
 * status is *ret_status.
 */
typedef struct error *(*command_fn)(int argc, char **argv, int *ret_status);

struct command {
	const char *name;	/* "": the row is a line between commands */
	const char *summary;	/* NULL: there is no such command */
	const char *group;	/* of a line: the title of the rows below; NULL: names are enough */
	const char *instead;	/* for a word that people try: the command to use */
	command_fn run;		/* NULL: not built yet, or in a plugin */
	const char *plugin;	/* lib/plugin.h; it has cmd_<name>() */
};

/* Set the table of commands, whose last row has no name.  @table is not copied. */
void commands_use(const struct command *table);

/*
 * Find the command to run.  EINVAL: no command has that name; the message suggests a similar one.
 * ENOSYS: it is not built yet; the message refers to perf's command.
 */
struct error *command_find(const char *name, const struct command **ret);

/* Run the command, see command_fn.  ENOENT: its plugin cannot be loaded. */
struct error *command_run(const struct command *command, int argc, char **argv, int *ret_status);

/* Run the command that the first word names, for commands that are built on another one. */
struct error *command_call(struct words *words, int *ret_status);

/*
 * Parse the command line of a command as options_parse() does.  Its help prints the summary of its
 * row in commands.def, unless @usage has one for a part of it, such as "sched latency".  The texts
 * of its options come from the manual page, see cmd/option_texts.h.
 */
struct error *command_parse(const struct command_usage *usage, int argc, char **argv,
			    int *ret_index);

/* Print the commands in groups: at most 24 lines, or with @all a line for each. */
void commands_print(bool all);

#define COMMAND_LATER(name)
#define COMMAND_GROUP(title)
#define COMMAND_ALSO()
#define COMMAND_WORD(word, instead)
#define COMMAND(name, summary) \
	struct error *cmd_##name(int argc, char **argv, int *ret_status);
#define COMMAND_AS(name, typed, summary) COMMAND(name, summary)
#define COMMAND_PLUGIN(name, summary) COMMAND(name, summary)
#include "cmd/commands.def"
#undef COMMAND
#undef COMMAND_AS
#undef COMMAND_PLUGIN
#undef COMMAND_LATER
#undef COMMAND_GROUP
#undef COMMAND_ALSO
#undef COMMAND_WORD

#endif
