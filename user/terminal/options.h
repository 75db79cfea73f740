/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Command line options.  One table per command is read by the parser, by --help and by the
 * completion.
 *
 * Parsing is that of getopt_long(): short options can be bundled, long ones abbreviated, and
 * they take "--name=VALUE" or "--name VALUE".  As with perf and git, "--no-name" takes back an
 * option that sets a value, and "--name" one whose name is "no-name".
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
	void *value;		/* where the value goes, by kind; @data for call() */
	struct error *(*call)(void *data, const char *argument);
	char letter;		/* 0: none */
	const char *argument;	/* its name in the help; "[NAME]": optional; NULL: takes none */
	const char *help;	/* one sentence, lower case, no dot */
	const char *group;	/* the title that it has in the help; NULL: "Options" */
	bool hidden;		/* neither help nor completion has it */
};

/* A row, whose value is a pointer to @type. */
#define OPT_ROW(kind_, name_, type, pointer, ...) \
	{ .kind = kind_, .name = name_, .value = 1 ? (pointer) : (type *)NULL, ##__VA_ARGS__ }

/*
 * Rows of a table of options.  Further members may follow; those of commands have these from
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

/* The values of an option that takes one or several of a fixed set of words. */
struct option_values {
	const char *option;	/* its long name */
	const char *words;	/* "auto,ktrace,perf"; NULL: see add */
	void (*add)(struct strbuf *out);	/* appends "a, b, c"; NULL: see table */
	const struct word_table *table;
};

/* An option that other tools have: typing it gives a sentence of its own. */
struct option_refusal {
	char letter;		/* 0: none */
	const char *name;	/* long name; NULL: none */
	const char *why;	/* follows the option's name: "needs a trace of the processor" */
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
	const char *details;	/* what follows it: "; EVENT is a name"; NULL: nothing */
	const struct option_spec *options; /* ends with an OPTION_END row */
	const struct option_values *values; /* for completion; ends with an empty row; or NULL */
	const struct option_refusal *refusals;	/* ends with an empty row; or NULL */
	const struct subcommand *commands;	/* ends with an empty row; or NULL */
	bool stop_at_argument;	/* what follows the first argument belongs to it */
};

/*
 * Parse argv[1..].  On success *ret_index is the index of the first argument that is no
 * option.  -h and --help print the help on stdout and set *ret_index to -1; the command then
 * returns 0.  A word behind it chooses the group of options with a word that begins so.
 * --list-options, if it is the only argument, does the same with a table for
 * scripts/gen-completion: the letter, name, argument, words and help of each option, separated by
 * tabs, with "-" for those it does not have, but not --help and --color, which all have.
 * --list-commands does so with the names of the commands that it has.
 */
struct error *options_parse(const struct command_usage *usage, int argc,
			    char **argv, int *ret_index);

/* Take the argument of --color, which all commands have, and NULL for none; @data is not used. */
struct error *options_set_color(void *data, const char *argument);

/* For commands that take no arguments: returns NULL, or an error about argv[index]. */
struct error *options_no_argument(const struct command_usage *usage, int argc, char **argv,
				  int index);

struct time_unit {
	const char *name;	/* "ms"; "": that of a number alone */
	uint64_t ns;
};

/*
 * Parse a decimal number with one of @units behind it, as ns; false: it is none, or has no room.
 * *@ret is set only if it is true.
 */
bool parse_time_unit(const char *text, const struct time_unit *units, size_t nr, uint64_t *ret);

#endif
