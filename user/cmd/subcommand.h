/* SPDX-License-Identifier: GPL-2.0 */
/* Shared code of commands that have commands of their own, such as `ktrace sched latency`. */
#ifndef KTRACE_CMD_SUBCOMMAND_H
#define KTRACE_CMD_SUBCOMMAND_H

#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/error.h"
#include "lib/log.h"
#include "terminal/options.h"

/* The options that may come before or behind the name of such a command. */
struct subcommand_input {
	const char *input;
	bool force;
};

/* Rows of an option table, for @from, a struct subcommand_input *. */
#define SUBCOMMAND_INPUT_OPTIONS(from) \
	RECORDING_INPUT_OPTION((from)->input), \
	OPT_COUNT("verbose", &log_verbosity), \
	RECORDING_FORCE_OPTION((from)->force)

/* One call of such a command. */
struct subcommand_call {
	const char *command;	/* "lock", or "kvm stat" */
	const struct subcommand *row;
	void *data;		/* of subcommands_run() */
	int argc;
	char **argv;		/* argv[0] is the name as it was typed */
	int *ret_status;	/* see command_fn */
};

/*
 * Parse the options of @usage up to the name of one of its commands, and run that with @data for
 * its call.  A name may be abbreviated to three letters or more, as in perf.  A row with the name
 * "" is run if no name follows; without such a row that is an error. usage->name may itself be a
 * command of a command, such as "kvm stat". usage->synopsis is built from the rows if it is NULL.
 */
struct error *subcommands_run(const struct command_usage *usage, void *data, int argc, char **argv,
			      int *ret_status);

/*
 * Parse the command line of a call, as command_parse().  *ret_index counts from argv[0] of the
 * call.  @synopsis is the text behind the command's name in its help, such as "[OPTIONS]".
 */
struct error *subcommand_parse(const struct subcommand_call *call, const char *synopsis,
			       const struct option_spec *options, int *ret_index);

/*
 * Parse the command line of a call, which may have options only, and call @run with the call's
 * data.  @run is not called after --help.
 */
struct error *subcommand_do(const struct subcommand_call *call, const struct option_spec *options,
			    struct error *(*run)(void *data));

/* A group of events to record; a row without a system ends a table. */
struct subcommand_events {
	const char *system;
	const char *always;	/* "NAME NAME": an error if the kernel lacks one; may be NULL */
	const char *if_there;	/* names that only some kernels have; may be NULL */
	unsigned int part;	/* a bit: recorded if the caller selects it; 0: always */
};

/*
 * Run `ktrace record` with @options, which end in NULL, with the events of the groups of @parts,
 * and with the arguments behind the call's name.
 */
struct error *subcommand_record(const struct subcommand_call *call, const char *const *options,
				const struct subcommand_events *events, unsigned int parts);

#endif
