// SPDX-License-Identifier: GPL-2.0
#include "cmd/command.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/config_defaults.h"
#include "cmd/option_texts.h"
#include "cmd/recording.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/plugin.h"
#include "script/script_list.h"

static const struct {
	const char *command;
	struct option_refusal refusal;
} perf_options[] = {
#define PERF_OPTION(command, letter, name, why, instead) \
	{ #command, { letter, name, why, instead } },
#include "cmd/perf_options.def"
#undef PERF_OPTION
};

/*
 * The refused options of @command, ended by an empty row.  The caller frees *ret, which is NULL if
 * there are none.  The only error is a lack of memory.
 */
static struct error *perf_options_refused(const char *command, struct option_refusal **ret)
{
	size_t nr = 0;

	*ret = calloc(ARRAY_SIZE(perf_options) + 1, sizeof(**ret));
	if (!*ret)
		return &error_no_memory;
	for (size_t i = 0; i < ARRAY_SIZE(perf_options); i++)
		if (!strcmp(perf_options[i].command, command))
			(*ret)[nr++] = perf_options[i].refusal;
	return NULL;
}

static const struct command *commands;

void commands_use(const struct command *table)
{
	commands = table;
}

/* The replacement of a profiler of perf-prof; NULL: it has none of this name. */
static const char *command_of_profiler(const char *name)
{
	static const struct {
		const char *name, *instead;
	} profilers[] = {
#define PROFILER(name, instead) { name, instead },
#define SOURCE PROFILER
#include "spec/perf_prof.def"
	};

	for (size_t i = 0; i < ARRAY_SIZE(profilers); i++)
		if (!strcmp(profilers[i].name, name))
			return profilers[i].instead;
	return NULL;
}

static struct error *unknown_command(const char *name)
{
	struct error *err = error_new(EINVAL, "'%s' is not a ktrace command", name);
	const char *near = NULL;

	if (script_list_has(name))
		return error_hint(err, "It is an analysis: 'ktrace script %s' runs it", name);
	if (command_of_profiler(name))
		return error_hint(err, "It is a command of perf-prof; instead, %s",
				  command_of_profiler(name));
	for (const struct command *c = commands; c->name; c++)
		if (c->summary)
			near = word_nearer(name, near, c->name);
	if (near)
		return error_hint(err, "Did you mean '%s'? 'ktrace help' lists the commands", near);
	return error_hint(err, "'ktrace help' lists the commands");
}

struct error *command_find(const char *name, const struct command **ret)
{
	const struct command *c = commands;

	while (c->name && (!*c->name || strcmp(c->name, name)))
		c++;
	if (!c->name)
		return unknown_command(name);
	if (c->instead)
		return error_hint(error_new(EINVAL, "'%s' is not a ktrace command", name),
				  "'ktrace %s' is", c->instead);
	if (!c->summary)
		return error_hint(error_new(ENOSYS, "ktrace %s is not built yet", name),
				  "Meanwhile there is 'perf %s'", name);
	*ret = c;
	return NULL;
}

struct error *command_run(const struct command *command, int argc, char **argv, int *ret_status)
{
	command_fn run = command->run;
	struct error *err;
	char symbol[32];
	void *found;

	if (!run) {
		snprintf(symbol, sizeof(symbol), "cmd_%s", command->name);
		err = plugin_find(command->plugin, symbol, &found);
		if (err)
			return error_prefix(err, "ktrace %s cannot be run", command->name);
		run = found;
	}
	return run(argc, argv, ret_status);
}

struct error *command_call(struct words *words, int *ret_status)
{
	const struct command *command;
	char **argv = words_argv(words);
	struct error *err;

	if (!argv)
		return &error_no_memory;
	err = command_find(argv[0], &command);
	return err ? err : command_run(command, words->nr, argv, ret_status);
}

struct error *command_parse(const struct command_usage *usage, int argc, char **argv,
			    int *ret_index)
{
	_cleanup_free_ struct option_refusal *refusals = NULL;
	_cleanup_free_ char *name = strndup(usage->name, strcspn(usage->name, " "));
	_cleanup_free_ struct option_spec *options = NULL;
	_cleanup_free_ char *summary = NULL;
	_cleanup_(words) struct words words = { 0 };
	struct command_usage whole = *usage;
	const struct command *command;
	int nr_defaults;
	struct error *err = name ? command_find(name, &command) : &error_no_memory;

	if (!err)
		err = perf_options_refused(name, &refusals);
	if (!err)
		err = option_texts_add(usage, &options);
	if (err)
		return err;
	whole.options = options;
	whole.refusals = refusals;
	summary = strdup(usage->summary ? usage->summary : command->summary);
	if (!summary)
		return &error_no_memory;
	*summary = toupper(*summary);
	whole.summary = summary;
	err = config_defaults_add(usage->name, argc, argv, &words, &nr_defaults);
	if (!err)
		err = options_parse(&whole, argc + nr_defaults, words.items, ret_index);
	if (err || *ret_index < 0)
		return err;
	/* Arguments may have been moved behind the options. */
	*ret_index -= nr_defaults;
	memcpy(argv + 1, words.items + 1 + nr_defaults, (argc - 1) * sizeof(*argv));
	return recording_check_listening();
}

static void print_command(const struct command *command)
{
	printf("    %-10s  %s\n", command->name, command->summary);
}

/* Print the title of a group, and in the same line the names that have no line of their own. */
static void print_group(const struct command *group)
{
	const struct command *c = group + 1;
	const char *before = *c->name ? " (also " : ": ", *end = *c->name ? ")" : "";

	printf("%s", group->group);
	while (*c->name)
		c++;
	for (c++; c->name && c->summary; c++, before = ", ")
		printf("%s%s", before, c->name);
	printf("%s\n", end);
}

static void print_groups(void)
{
	bool shown = false;

	printf("Start here: 'ktrace script wall -- CMD' shows where the time of CMD goes,\n"
	       "            'ktrace doctor' checks how this machine can be traced.\n\n");
	for (const struct command *c = commands; c->name; c++) {
		if (!*c->name) {
			shown = c->group;
			if (shown)
				print_group(c);
		} else if (shown && c->summary) {
			print_command(c);
		}
	}
	printf("\n'ktrace help -a' lists all commands. See 'ktrace help COMMAND'.\n");
}

void commands_print(bool all)
{
	printf("Usage: ktrace [--version] [--help] COMMAND [ARGS]\n\n");
	if (!all) {
		print_groups();
		return;
	}
	for (const struct command *c = commands; c->name; c++) {
		if (c->group)
			printf("%s%s\n", c == commands ? "" : "\n", c->group);
		if (c->summary)
			print_command(c);
	}
	printf("\nSee 'ktrace help COMMAND'.\n");
}
