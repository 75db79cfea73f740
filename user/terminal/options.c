// SPDX-License-Identifier: GPL-2.0
#include "terminal/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/color.h"
#include "lib/escape.h"
#include "lib/number.h"
#include "lib/strbuf.h"
#include "terminal/terminal.h"

/* getopt's values for options without a letter are above any char. */
#define LONG_ONLY 256
#define HELP_INDEX 255
#define COLOR_INDEX 254

/* Whether all of the argument's name is in brackets: "[LEVEL]", but not "[LANG:]FILE". */
static bool is_optional(const struct option_spec *o)
{
	return o->argument && *o->argument == '[' && strchr(o->argument, ']')[1] == '\0';
}

static size_t count_options(const struct option_spec *options)
{
	size_t nr = 0;

	while (options && options[nr].kind != OPTION_END)
		nr++;
	return nr;
}

#define HELP_INDENT	30	/* column of the descriptions */
#define COMMAND_INDENT	18	/* the least one for those of commands */

/* How wide help is: longer lines than this are hard to read. */
#define HELP_COLUMNS_MAX	100

static size_t help_columns(void)
{
	size_t columns = terminal_columns();

	if (!columns)
		return TERMINAL_COLUMNS_MIN;
	return columns < HELP_COLUMNS_MAX ? columns : HELP_COLUMNS_MAX;
}

/* Print @text from column @column on, and its further lines from column @indent on. */
static void print_wrapped(const char *text, size_t column, size_t indent)
{
	_cleanup_(strbuf) struct strbuf lines = STRBUF_INIT;

	terminal_add_wrapped(&lines, text, column, indent, help_columns());
	puts(strbuf_str(&lines));
}

static void print_entry(const char *name, const char *help, size_t indent)
{
	size_t len = strlen(name);

	printf("    %s%s%s", color_on(COLOR_HEADING), name, color_off(COLOR_HEADING));
	if (len > indent - 6)
		printf("\n%*s", (int)indent, "");
	else
		printf("%*s", (int)(indent - 4 - len), "");
	print_wrapped(help, indent, indent);
}

static void print_option(const char *letters, const char *help)
{
	print_entry(letters, help, HELP_INDENT);
}

/* The length of the longest name. */
static size_t longest_command(const struct subcommand *commands)
{
	size_t longest = 0;

	for (const struct subcommand *c = commands; c && c->name; c++) {
		size_t below = longest_command(c->commands), len = strlen(c->name);

		if (below)
			len += 1 + below;
		if (len > longest)
			longest = len;
	}
	return longest;
}

static void print_commands(const struct subcommand *commands, const char *of, size_t indent)
{
	for (const struct subcommand *c = commands; c && c->name; c++) {
		_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

		strbuf_addf(&name, "%s%s", of, c->name);
		if (c->summary)
			print_entry(strbuf_str(&name), c->summary, indent);
		strbuf_addch(&name, ' ');
		print_commands(c->commands, strbuf_str(&name), indent);
	}
}

static void print_usage(const struct command_usage *usage)
{
	size_t indent = printf("Usage: ktrace %s ", usage->name);
	_cleanup_(strbuf) struct strbuf summary = STRBUF_INIT;

	print_wrapped(usage->synopsis, indent, indent);
	strbuf_addf(&summary, "%s%s.", usage->summary, usage->details ? usage->details : "");
	putchar('\n');
	print_wrapped(strbuf_str(&summary), 0, 0);
	if (usage->commands) {
		size_t indent = longest_command(usage->commands) + 6;

		printf("\nCommands ('ktrace %s COMMAND --help' prints the options of one):\n",
		       usage->name);
		print_commands(usage->commands, "",
			       indent > COMMAND_INDENT ? indent : COMMAND_INDENT);
	}
}

static void print_row(const struct option_spec *o)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (o->letter)
		strbuf_addf(&text, "-%c", o->letter);
	if (o->letter && o->name)
		strbuf_addstr(&text, ", ");
	if (o->name)
		strbuf_addf(&text, "%s--%s", o->letter ? "" : "    ", o->name);
	if (is_optional(o))
		strbuf_addf(&text, "[%s%s", o->name ? "=" : "", o->argument + 1);
	else if (o->argument)
		strbuf_addf(&text, "%s%s", o->name ? "=" : " ", o->argument);
	print_option(strbuf_str(&text), o->help);
}

static const char *option_group(const struct option_spec *o)
{
	return o->group ? o->group : "Options";
}

/* Whether a word of a group's title begins with @typed. */
static bool group_is(const char *title, const char *typed)
{
	size_t len = strlen(typed);

	for (;;) {
		if (!strncasecmp(title, typed, len))
			return true;
		title = strchr(title, ' ');
		if (!title)
			return false;
		title++;
	}
}

static struct error *unknown_group(const struct command_usage *usage, const char *typed)
{
	_cleanup_(strbuf) struct strbuf titles = STRBUF_INIT;
	const char *last = "";
	struct error *err;
	size_t nr = 0;

	for (const struct option_spec *o = usage->options; o->kind; o++) {
		if (o->hidden || !strcmp(option_group(o), last))
			continue;
		last = option_group(o);
		strbuf_addf(&titles, "%s'%s'", nr++ ? ", " : "", last);
	}
	err = error_new(EINVAL, "%s has no group of options '%s'", usage->name, typed);
	if (nr < 2)
		return error_hint(err, "'ktrace %s --help' prints all of them", usage->name);
	return error_hint(err, "Its groups are %s; a word of one is enough", strbuf_str(&titles));
}

/* Print the options of all groups, or with @typed those of one. */
static struct error *options_print_help(const struct command_usage *usage, const char *typed)
{
	const char *last = NULL;
	size_t groups = 0;

	if (!typed)
		print_usage(usage);
	for (const struct option_spec *o = usage->options; o && o->kind; o++) {
		if (o->hidden || (typed && !group_is(option_group(o), typed)))
			continue;
		if (!last || strcmp(option_group(o), last)) {
			/* One group is enough, and fits a screen. */
			if (typed && last)
				break;
			last = option_group(o);
			printf("%s%s:\n", typed ? "" : "\n", last);
			groups++;
		}
		print_row(o);
	}
	if (typed)
		return last ? NULL : unknown_group(usage, typed);
	if (!last)
		printf("\nOptions:\n");
	print_option("    --color[=WHEN]", "colour the output: auto, always or never (auto)");
	if (groups > 1)
		print_option("-h, --help [GROUP]", "print this text, or one group of it, by a word");
	else
		print_option("-h, --help", "print this text");
	return NULL;
}

/* Print help; @argv are the words behind --help. */
static struct error *options_help(const struct command_usage *usage, int argc, char **argv)
{
	if (argc < 1 || *argv[0] == '-')
		return options_print_help(usage, NULL);
	if (argc > 1 && *argv[1] != '-')
		return error_hint(error_new(EINVAL, "help takes no argument '%s'", argv[1]),
				  "One word is enough to choose a group of options");
	return options_print_help(usage, argv[0]);
}

static void list_words(const struct command_usage *usage, const struct option_spec *o)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	const struct option_values *v = usage->values;

	while (v && v->option && !(o->name && !strcmp(o->name, v->option)))
		v++;
	if (!v || !v->option)
		strbuf_addch(&text, '-');
	else if (v->table)
		word_add_names(v->table, ", ", &text);
	else if (v->add)
		v->add(&text);
	else
		strbuf_addstr(&text, v->words);
	printf("%s", strbuf_str(&text));
}

static void list_options(const struct command_usage *usage)
{
	for (const struct option_spec *o = usage->options; o && o->kind; o++) {
		if (o->hidden)
			continue;
		printf("%c\t%s\t%s\t", o->letter ? o->letter : '-', o->name ? o->name : "-",
		       o->argument ? o->argument : "-");
		list_words(usage, o);
		printf("\t%s\n", o->help);
	}
}

static void list_commands(const struct subcommand *commands)
{
	for (const struct subcommand *c = commands; c && c->name; c++)
		if (c->summary || c->commands)
			puts(c->name);
}

struct error *options_set_color(void *data, const char *argument)
{
	if (!color_mode_set(argument))
		return error_hint(error_new(EINVAL, "--color does not know '%s'", argument),
				  "It takes auto, always or never");
	escape_stdout();
	return NULL;
}

/* The error for an option that is refused; NULL: it is not. */
static struct error *refused_option(const struct command_usage *usage, int letter,
				    const char *word)
{
	const struct option_refusal *r = usage->refusals;
	size_t len = strcspn(word, "=");
	struct error *err;

	while (r && (r->letter || r->name) &&
	       !(letter ? r->letter == letter :
		 r->name && strlen(r->name) + 2 == len && !strncmp(word + 2, r->name, len - 2)))
		r++;
	if (!r || (!r->letter && !r->name))
		return NULL;
	if (letter)
		err = error_new(EINVAL, "%s -%c %s", usage->name, letter, r->why);
	else
		err = error_new(EINVAL, "%s --%s %s", usage->name, r->name, r->why);
	return r->instead ? error_hint(err, "%s", r->instead) : err;
}

static bool is_negation(const char *name, const char *of)
{
	return !strncmp(name, "no-", 3) && !strcmp(name + 3, of);
}

/* Whether @name is an option or the opposite of one, as no-NAME is of NAME. */
static bool is_option_or_opposite(const struct option_spec *o, const char *name)
{
	return o->name && (!strcmp(name, o->name) || is_negation(name, o->name) ||
			   is_negation(o->name, name));
}

static struct error *unknown_option(const struct command_usage *usage, int letter,
				    const char *word)
{
	struct error *err = refused_option(usage, letter, word);
	const char *near = NULL;
	size_t len;

	if (err)
		return err;
	if (letter)
		err = error_new(EINVAL, "%s has no option '-%c'", usage->name, letter);
	else
		err = error_new(EINVAL, "%s has no option '%s'", usage->name, word);
	len = strcspn(word + 2 * !letter, "=");
	for (const struct option_spec *o = usage->options; !letter && o && o->kind; o++) {
		_cleanup_free_ char *name = strndup(word + 2, len);

		if (name && word[2 + len] && is_option_or_opposite(o, name)) {
			error_free(err);
			return error_hint(error_new(EINVAL, "%s --%s takes no value, but '%s' is given",
						    usage->name, name, word + 3 + len),
					  "'ktrace %s --help' lists the options", usage->name);
		}
		if (o->name && name)
			near = word_nearer(name, near, o->name);
	}
	if (near)
		return error_hint(err, "Did you mean --%s? 'ktrace %s --help' lists the options",
				  near, usage->name);
	return error_hint(err, "'ktrace %s --help' lists the options", usage->name);
}

static struct error *set_option(const struct command_usage *usage,
				const struct option_spec *o, const char *argument)
{
	unsigned long long number;

	switch (o->kind) {
	case OPTION_FLAG:
		*(bool *)o->value = true;
		return NULL;
	case OPTION_COUNT:
		++*(int *)o->value;
		return NULL;
	case OPTION_STRING:
		*(const char **)o->value = argument;
		return NULL;
	case OPTION_UINT:
		if (!parse_u64(argument, &number) || number > UINT_MAX)
			return error_new(EINVAL, "%s --%s takes a number, not '%s'",
					 usage->name, o->name, argument);
		*(unsigned int *)o->value = number;
		return NULL;
	case OPTION_CALLBACK:
	case OPTION_CALLBACK_NEXT:
		return o->call(o->value, argument);
	case OPTION_END:
		break;
	}
	return NULL;
}

/* The value of an option before the first argument. */
union option_default {
	bool flag;
	int count;
	const char *string;
	unsigned int uint;
};

/* The size of the value; 0: a function gets the argument, so the option cannot be undone. */
static size_t value_size(const struct option_spec *o)
{
	switch (o->kind) {
	case OPTION_FLAG:
		return sizeof(bool);
	case OPTION_COUNT:
		return sizeof(int);
	case OPTION_STRING:
		return sizeof(const char *);
	case OPTION_UINT:
		return sizeof(unsigned int);
	case OPTION_CALLBACK:
	case OPTION_CALLBACK_NEXT:
	case OPTION_END:
		break;
	}
	return 0;
}

/*
 * Undo an option, given or not: "--no-NAME" for NAME, "--NAME" for no-NAME.  Returns false if the
 * word is not such an option.
 */
static bool take_back(const struct command_usage *usage, const union option_default *defaults,
		      const char *word)
{
	const struct option_spec *o = usage->options;

	if (strncmp(word, "--", 2))
		return false;
	for (word += 2; o && o->kind != OPTION_END; o++) {
		if (!o->name || !(strncmp(o->name, "no-", 3) ? is_negation(word, o->name) :
				  is_negation(o->name, word)))
			continue;
		if (o->value)
			memcpy(o->value, &defaults[o - usage->options], value_size(o));
		return value_size(o);
	}
	return false;
}

struct error *options_parse(const struct command_usage *usage, int argc,
			    char **argv, int *ret_index)
{
	size_t nr = count_options(usage->options);
	_cleanup_free_ struct option *longs = calloc(nr + 3, sizeof(*longs));
	_cleanup_free_ union option_default *defaults = calloc(nr + 1, sizeof(*defaults));
	_cleanup_(strbuf) struct strbuf shorts = STRBUF_INIT;
	size_t n = 0;

	if (!longs || !defaults)
		return &error_no_memory;
	*ret_index = -1;
	if (argc == 2 && !strcmp(argv[1], "--list-options")) {
		list_options(usage);
		return NULL;
	}
	if (argc == 2 && !strcmp(argv[1], "--list-commands")) {
		list_commands(usage->commands);
		return NULL;
	}
	/* With a leading ':', getopt reports a missing argument as ':' instead of '?'. */
	strbuf_addstr(&shorts, usage->stop_at_argument ? "+:h" : ":h");
	for (size_t i = 0; i < nr; i++) {
		const struct option_spec *o = &usage->options[i];

		if (o->value)
			memcpy(&defaults[i], o->value, value_size(o));
		if (o->letter)
			strbuf_addf(&shorts, "%c%s", o->letter,
				    is_optional(o) ? "::" : o->argument ? ":" : "");
		if (o->name)
			longs[n++] = (struct option){
				o->name,
				is_optional(o) ? optional_argument :
				o->argument ? required_argument : no_argument,
				NULL, LONG_ONLY + i,
			};
	}
	longs[n++] = (struct option){ "help", no_argument, NULL, HELP_INDEX };
	longs[n++] = (struct option){ "color", optional_argument, NULL, COLOR_INDEX };
	if (shorts.failed)
		return &error_no_memory;

	opterr = 0;
	optind = 0;	/* makes glibc start over, also after another table */
	for (;;) {
		const struct option_spec *o = NULL;
		struct error *err;
		int c = getopt_long(argc, argv, shorts.data, longs, NULL);

		if (c == -1)
			break;
		if (c == 'h' || c == HELP_INDEX) {
			*ret_index = -1;
			return options_help(usage, argc - optind, argv + optind);
		}
		if (c == COLOR_INDEX) {
			err = options_set_color(NULL, optarg);
			if (err)
				return err;
			continue;
		}
		if (c == ':')
			return error_hint(error_new(EINVAL, "%s %s needs an argument",
						    usage->name, argv[optind - 1]),
					  "'ktrace %s --help' lists the options",
					  usage->name);
		if (c == '?' && optopt > 0 && optopt < COLOR_INDEX)
			return unknown_option(usage, optopt, argv[optind - 1]);
		if (c == '?' && take_back(usage, defaults, argv[optind - 1]))
			continue;
		if (c == '?')
			return unknown_option(usage, 0, argv[optind - 1]);
		if (c >= LONG_ONLY) {
			o = &usage->options[c - LONG_ONLY];
		} else {
			for (size_t i = 0; i < nr; i++)
				if (usage->options[i].letter == c)
					o = &usage->options[i];
		}
		if (o->kind == OPTION_CALLBACK_NEXT && !optarg && optind < argc &&
		    *argv[optind] != '-')
			optarg = argv[optind++];
		err = set_option(usage, o, optarg);
		if (err)
			return err;
	}
	*ret_index = optind;
	return NULL;
}

bool parse_time_unit(const char *text, const struct time_unit *units, size_t nr, uint64_t *ret)
{
	unsigned long long value;
	char *unit;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	value = strtoull(text, &unit, 10);
	if (errno)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(unit, units[i].name))
			return !__builtin_mul_overflow(value, units[i].ns, ret);
	return false;
}

struct error *options_no_argument(const struct command_usage *usage, int argc, char **argv,
				  int index)
{
	if (index >= argc)
		return NULL;
	return error_hint(error_new(EINVAL, "%s takes no argument '%s'", usage->name, argv[index]),
			  "'ktrace %s --help' lists its arguments", usage->name);
}
