/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Command line options, from one table per command: parsing, --help, the man
 * page check and the completion all read it.
 *
 * Parsing is getopt_long()'s: short options bundle, long ones may be
 * abbreviated and take "--name=VALUE" or "--name VALUE".
 */
#ifndef KTRACE_LIB_OPTIONS_H
#define KTRACE_LIB_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "lib/strbuf.h"

enum option_kind {
	OPTION_END = 0,
	OPTION_FLAG,		/* bool *: set to true */
	OPTION_COUNT,		/* int *: one more each time */
	OPTION_STRING,		/* const char **: the argument, not copied */
	OPTION_UINT,		/* unsigned int *: decimal, 0x or 0 prefix */
	OPTION_CALLBACK,	/* call() with the argument (NULL without one) */
	OPTION_CALLBACK_NEXT,	/* the same; an optional one may be the next word, but no option */
};

struct option_spec {
	enum option_kind kind;
	char letter;		/* 0: none */
	const char *name;	/* long name; NULL: none */
	const char *argument;	/* its name in the help; "[NAME]": optional; NULL: takes none */
	const char *help;	/* one line, lower case, no dot; NULL: hidden */
	void *value;		/* where it goes, by kind; @data for call() */
	struct error *(*call)(void *data, const char *argument);
};

/* What an option takes, where that is one or several of some words. */
struct option_values {
	const char *option;	/* its long name */
	const char *words;	/* "auto,ktrace,perf"; or, where they come from a table: */
	void (*add)(struct strbuf *out);	/* appends "a, b, c" */
};

struct command_usage {
	const char *name;	/* "record" */
	const char *synopsis;	/* "[OPTIONS] [--] [COMMAND [ARGS]]" */
	const char *summary;	/* one sentence */
	const struct option_spec *options; /* ends with an OPTION_END row */
	const struct option_values *values; /* for completion; ends with an empty row; or NULL */
	bool stop_at_argument;	/* what follows the first argument belongs to it */
};

/*
 * Parse argv[1..].  On success *ret_index is the first argument that is no
 * option.  -h and --help print the help on stdout and set *ret_index to -1:
 * the command then returns 0.  So does --list-options, alone, with the table for
 * scripts/gen-completion: letter, name, argument and words of each option, parted
 * by tabs, "-" where there are none.
 */
struct error *options_parse(const struct command_usage *usage, int argc,
			    char **argv, int *ret_index);

/* For commands that take none: NULL, or what is wrong with argv[index]. */
struct error *options_no_argument(const struct command_usage *usage, int argc, char **argv,
				  int index);

/* The whole help of a command, on stdout. */
void options_print_help(const struct command_usage *usage);

/* Parse all of @text as an unsigned number; false: it is not one. */
bool parse_u64(const char *text, unsigned long long *ret);

/* Edit distance for "did you mean"; true when @candidate is near @word. */
bool word_is_near(const char *word, const char *candidate);

/* The one that is nearer to @word, if it is near at all, else @best, which may be NULL. */
const char *word_nearer(const char *word, const char *best, const char *candidate);

/* Is @word one of "a,b,c"? */
bool word_in_list(const char *list, const char *word);

#endif
