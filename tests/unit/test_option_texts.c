// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of commands get the texts of options from the pages in the tree.
 */
#include "cmd/option_texts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "tap.h"

/* The row with this name. */
static const struct option_spec *find(const struct option_spec *o, const char *name)
{
	while (o->kind && !(o->name && !strcmp(o->name, name)))
		o++;
	return o->kind ? o : NULL;
}

TEST(test_page)
{
	bool flag, hidden;
	const char *text;
	const struct option_spec options[] = {
		OPT_FLAG("ready", &hidden, .argument = "FD", .hidden = true),
		OPT_FLAG(NULL, &flag, .letter = 'g'),
		OPT_STRING("via", &text, .help = "of the table"),
		OPT_STRING("cpu", &text),
		{ 0 },
	};
	const struct command_usage usage = { .name = "record", .options = options };
	_cleanup_free_ struct option_spec *whole = NULL;

	no_error(option_texts_add(&usage, &whole), "each option has an entry, or is hidden");
	if (!whole)
		return;
	is_str(whole[0].name, "cpu", "the order is that of the page");
	ok(whole[0].letter == 'C' && whole[0].value == &text, "the letter is that of the page");
	is_str(whole[0].argument, "LIST", "so is the name of the argument");
	is_str(whole[0].help, "record all tasks on these CPUs, as in 0-3,7",
	       "the help is the entry's first sentence, without markup");
	is_str(whole[0].group, "Tasks and CPUs", "the group is the title above it");
	ok(whole[1].letter == 'g' && !whole[1].name && !whole[1].argument && whole[1].help,
	   "an option may have a letter alone");
	is_str(whole[2].help, "of the table", "a help that is made at run time stays");
	ok(whole[3].hidden && !whole[3].help, "a hidden option comes last");
	ok(!whole[4].kind, "the table has an end");
}

TEST(test_commands_of_commands)
{
	const char *text;
	const struct option_spec options[] = {
		OPT_STRING("kwork", &text), OPT_STRING("vmlinux", &text), { 0 },
	};
	struct command_usage usage = { .name = "kwork tim", .options = options };
	struct option_spec *whole = NULL;

	no_error(option_texts_add(&usage, &whole), "a command of a command may be shortened");
	ok(whole && find(whole, "vmlinux")->letter == 'k' && !find(whole, "kwork")->letter,
	   "its own section counts");
	free(whole);
	whole = NULL;
	usage.name = "kwork stat latency";
	no_error(option_texts_add(&usage, &whole), "the last of several words is its name");
	ok(whole && !find(whole, "vmlinux")->letter && find(whole, "kwork")->letter == 'k',
	   "a section may be that of several, and missing options come from that of all");
	free(whole);
}

TEST(test_missing)
{
	bool flag;
	const char *text;
	struct option_spec options[] = { OPT_FLAG("nosuch", &flag), { 0 } };
	const struct command_usage usage = { .name = "version", .options = options };
	const struct command_usage annotate = { .name = "annotate", .options = options };
	struct option_spec *whole = NULL;

	is_error(option_texts_add(&usage, &whole),
		 "The page ktrace-version.1.rst does not describe the option --nosuch",
		 "an option without an entry is an error");
	options[0].name = NULL;
	options[0].letter = 'x';
	is_error(option_texts_add(&usage, &whole),
		 "The page ktrace-version.1.rst does not describe the option -x",
		 "one with a letter alone, too");
	options[0] = (struct option_spec)OPT_STRING("full-paths", &text);
	is_error(option_texts_add(&annotate, &whole),
		 "The page ktrace-annotate.1.rst describes the option --full-paths without an argument",
		 "an option that takes one has it on the page");
	options[0] = (struct option_spec)OPT_FLAG("dsos", &flag);
	is_error(option_texts_add(&annotate, &whole),
		 "The page ktrace-annotate.1.rst describes the option --dsos with an argument",
		 "an option that takes none has none on the page");
	ok(!whole, "nothing is made then");
}

TAP_MAIN
