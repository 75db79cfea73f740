/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What commands share that have commands of their own, such as `ktrace sched latency`.
 */
#ifndef KTRACE_CMD_SUBCOMMAND_H
#define KTRACE_CMD_SUBCOMMAND_H

#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/error.h"
#include "lib/log.h"
#include "terminal/options.h"

/* The options that may come before the name of such a command, or behind it. */
struct subcommand_input {
	const char *input;
	bool force;
};

/* Rows of an option table, for @from, a struct subcommand_input *. */
#define SUBCOMMAND_INPUT_OPTIONS(from) \
	RECORDING_INPUT_OPTION((from)->input), \
	{ OPTION_COUNT, 'v', "verbose", NULL, "print more messages", &log_verbosity, NULL }, \
	RECORDING_FORCE_OPTION((from)->force)

/*
 * Parse the options of @command, which has such commands, up to the name of one of them.  *argv is
 * that name then, and *argc counts it and what follows.  Sets *ret_run as subcommand_parse(), and
 * fails if no name follows.
 */
struct error *subcommand_find(const char *command, const struct command_usage *usage, int *argc,
			      char ***argv, bool *ret_run);

/*
 * Parse the command line of a command of @command; argv[0] is its name.  As command_parse(),
 * but nothing may be left that is no option.
 */
struct error *subcommand_parse(const char *command, const struct option_spec *options, int argc,
			       char **argv, bool *ret_run);

/* Does @word name the command @name?  Its first three letters will do, as in perf. */
bool subcommand_is(const char *name, const char *word);

/* Fail, as @command has no command @name, and suggest one of @names, which ends with NULL. */
struct error *subcommand_unknown(const char *command, const char *const *names, const char *name);

/* A group of events to record; NULL ends it. */
struct subcommand_events {
	const char *system;
	const char *const *always;	/* an error if the kernel lacks one of them; may be NULL */
	const char *const *if_there;	/* only on some kernels; may be NULL */
};

/*
 * Run `ktrace record @words`, up to NULL, with the events of all groups up to one without a
 * system, and what follows argv[0].
 */
struct error *subcommand_record(const char *const *words, const struct subcommand_events *events,
				char **argv, int *ret_status);

#endif
