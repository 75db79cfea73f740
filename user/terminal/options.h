/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Command line options.  One table per command is used by the parser, by --help and by the
 * completion.
 *
 * Parsing is that of getopt_long(): short options can be bundled, long ones abbreviated, and they
 * take "--name=VALUE" or "--name VALUE".  As with perf and git, "--no-name" undoes an option that
 * sets a value, and "--name" undoes an option whose name is "no-name".
 */
#ifndef KTRACE_TERMINAL_OPTIONS_H
#define KTRACE_TERMINAL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/strbuf.h"
#include "terminal/word_list.h"

enum option_kind {
	OPTION_END = 0,
	OPTION_FLAG,		/* bool *: set to true */
	OPTION_COUNT,		/* int *: one more each time */
	OPTION_STRING,		/* const char **: the argument, not copied */
	OPTION_UINT,		/* unsigned int *: decimal, 0x or 0 prefix */
	OPTION_CALLBACK,	/* call() with the argument (NULL without one) */
	OPTION_CALLBACK_NEXT,	/* the same; an optional argument may be a separate one */
};

struct option_spec {
	enum option_kind kind;
	const char *name;	/* long name; NULL: none */
	void *value;		/* destination of the value, by kind; @data for call() */
	struct error *(*call)(void *data, const char *argument);
	char letter;		/* 0: none */
	const char *argument;	/* its name in the help; "[NAME]": optional; NULL: none */
	const char *help;	/* one sentence, lower case, no dot */
	const char *group;	/* its title in the help; NULL: "Options" */
	bool hidden;		/* in neither help nor completion */
};

/* A row, whose value is a pointer to @type. */
#define OPT_ROW(kind_, name_, type, pointer, ...) \
	{ .kind = kind_, .name = name_, .value = 1 ? (pointer) : (type *)NULL, ##__VA_ARGS__ }

/*
 * Rows of a table of options.  Further members may follow.  The options of commands get these from
 * their manual page, see cmd/option_texts.h.
 */
#define OPT_FLAG(name, pointer, ...) OPT_ROW(OPTION_FLAG, name, bool, pointer, ##__VA_ARGS__)
#define OPT_COUNT(name, pointer, ...) OPT_ROW(OPTION_COUNT, name, int, pointer, ##__VA_ARGS__)
#define OPT_STRING(name, pointer, ...) \
	OPT_ROW(OPTION_STRING, name, const char *, pointer, ##__VA_ARGS__)
#define OPT_UINT(name, pointer, ...) \
	OPT_ROW(OPTION_UINT, name, unsigned int, pointer, ##__VA_ARGS__)
#define OPT_CALL(name, data, function, ...) \
	OPT_ROW(OPTION_CALLBACK, name, void, data, .call = function, ##__VA_ARGS__)
#define OPT_CALL_NEXT(name, data, function, ...) \
	OPT_ROW(OPTION_CALLBACK_NEXT, name, void, data, .call = function, ##__VA_ARGS__)

/* The values of an option that takes one or several of a list of keywords. */
struct option_values {
	const char *option;	/* its long name */
	const char *words;	/* "auto,ktrace,perf"; NULL: see add */
	void (*add)(struct strbuf *out);	/* appends "a, b, c"; NULL: see table */
	const struct word_table *table;
};

/* An option of another tool, which is refused with a sentence of its own. */
struct option_refusal {
	char letter;		/* 0: none */
	const char *name;	/* long name; NULL: none */
	const char *why;	/* the predicate: "needs a trace of the processor" */
	const char *instead;	/* the next step, a sentence without the dot; NULL: none */
};

struct subcommand_call;

/* A command of a command: `ktrace sched latency`.  An empty row ends a table. */
struct subcommand {
	const char *name;
	const char *summary;	/* one line, lower case, no dot; NULL: help does not list it */
	struct error *(*run)(struct subcommand_call *call);	/* NULL: only perf has it */
	const struct subcommand *commands;	/* its own ones; or NULL */
	const char *instead;	/* without run(): the next step, a sentence without the dot */
};

#define SUBCOMMAND(name, summary, run)	{ name, summary, run, NULL, NULL }
#define SUBCOMMAND_LATER(name, instead)	{ name, NULL, NULL, NULL, instead }

struct command_usage {
	const char *name;	/* "record", or "sched latency" */
	const char *synopsis;	/* "[OPTIONS] [--] [COMMAND [ARGS]]" */
	const char *summary;	/* one sentence, without the dot; NULL: see command_parse() */
	const char *details;	/* the text behind it: "; EVENT is a name"; NULL: none */
	const struct option_spec *options; /* ends with an OPTION_END row */
	const struct option_values *values; /* for completion; ends with an empty row; or NULL */
	const struct option_refusal *refusals;	/* ends with an empty row; or NULL */
	const struct subcommand *commands;	/* ends with an empty row; or NULL */
	bool stop_at_argument;	/* arguments behind the first one belong to it */
};

/*
 * Parse argv[1..].  On success *ret_index is the index of the first argument that is not an option.
 *
 * -h and --help print the help on stdout and set *ret_index to -1; the command then returns 0.  A
 * word behind it selects the group of options whose title has a word that begins so.
 *
 * --list-options, if it is the only argument, also sets -1.  It prints a table for
 * scripts/gen-completion: the letter, name, argument, values and help of each option, separated by
 * tabs, with "-" for missing ones.  --help and --color, which all commands have, are left out.
 * --list-commands does the same with the names of the command's own commands.
 */
struct error *options_parse(const struct command_usage *usage, int argc,
			    char **argv, int *ret_index);

/*
 * Set the colour mode to the argument of --color, which all commands have; NULL: no argument.
 * @data is not used.
 */
struct error *options_set_color(void *data, const char *argument);

/* For commands that take no arguments: returns NULL, or an error about argv[index]. */
struct error *options_no_argument(const struct command_usage *usage, int argc, char **argv,
				  int index);

struct time_unit {
	const char *name;	/* "ms"; "": for a number without a unit */
	uint64_t ns;
};

/*
 * Parse a decimal number with one of @units behind it, as ns.  Returns false if it is not such a
 * number, or too large; *@ret is then unchanged.
 */
bool parse_time_unit(const char *text, const struct time_unit *units, size_t nr, uint64_t *ret);

#endif
