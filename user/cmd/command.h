/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A command is one row in commands.def and one file.  It tells a short story:
 * it joins a source to a session to a sink, and returns the exit status.
 */
#ifndef KTRACE_CMD_COMMAND_H
#define KTRACE_CMD_COMMAND_H

#include "lib/error.h"

/*
 * @argv[0] is the command's name.  An error returned is reported by main() and
 * makes the exit status 1 (129 for EINVAL, a wrong command line, as perf
 * has it); otherwise *ret_status is it.
 */
typedef struct error *(*command_fn)(int argc, char **argv, int *ret_status);

/* What perf's command of the same name does. */
enum command_of_perf { READS_RECORDINGS, RUNS_ALONE };

struct command {
	const char *name;
	const char *summary;
	command_fn run;		/* NULL: not built yet, or in a plugin */
	const char *plugin;	/* lib/plugin.h; it has cmd_<name>() */
	enum command_of_perf of_perf;	/* of those that are not built yet */
};

/* All rows of commands.def, ended by one without a name. */
extern const struct command commands[];

/*
 * The command to run.  Errors: EINVAL, there is none of that name (the nearest
 * is named); ENOSYS, it is not built yet (perf's is named).
 */
struct error *command_find(const char *name, const struct command **ret);

/* Run it, see command_fn.  ENOENT: it is in a plugin that cannot be loaded. */
struct error *command_run(const struct command *command, int argc, char **argv, int *ret_status);

/* The list of commands, as `ktrace` and `ktrace help` print it. */
void commands_print(void);

#define COMMAND_LATER(name, of_perf)
#define COMMAND(name, summary) \
	struct error *cmd_##name(int argc, char **argv, int *ret_status);
#define COMMAND_PLUGIN(name, summary) COMMAND(name, summary)
#include "cmd/commands.def"
#undef COMMAND
#undef COMMAND_PLUGIN
#undef COMMAND_LATER

#endif
