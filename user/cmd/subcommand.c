// SPDX-License-Identifier: GPL-2.0
#include "cmd/subcommand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/tracefs.h"
#include "terminal/word_list.h"
#include "terminal/words.h"

static struct error *subcommands_parse(const struct command_usage *usage, int argc, char **argv,
				       int *ret_index)
{
	const struct subcommand *commands = usage->commands;
	_cleanup_(strbuf) struct strbuf synopsis = STRBUF_INIT;
	struct command_usage whole = *usage;
	char separator = '{';

	strbuf_addstr(&synopsis, "[OPTIONS] ");
	if (commands->commands)
		strbuf_addf(&synopsis, "%s ", commands->name);
	for (const struct subcommand *c = commands->commands ?: commands; c->name; c++)
		if (c->summary) {
			strbuf_addf(&synopsis, "%c%s", separator, c->name);
			separator = '|';
		}
	strbuf_addstr(&synopsis, "} [OPTIONS]");
	if (!whole.synopsis)
		whole.synopsis = strbuf_str(&synopsis);
	whole.stop_at_argument = true;
	return command_parse(&whole, argc, argv, ret_index);
}

/* As in perf, the beginning of a name will do. */
static const struct subcommand *subcommand_find(const struct subcommand *commands, const char *name)
{
	size_t len = strlen(name);

	for (; commands->name; commands++)
		if (!strcmp(commands->name, name) ||
		    (len > 2 && !strncmp(commands->name, name, len)))
			return commands;
	return NULL;
}

static struct error *subcommand_unknown(const struct command_usage *usage, const char *name)
{
	const char *near = NULL;
	struct error *err = error_new(EINVAL, "'%s' is not a command of ktrace %s", name, usage->name);

	for (const struct subcommand *c = usage->commands; c->name; c++)
		if (c->run)
			near = word_nearer(name, near, c->name);
	if (near)
		return error_hint(err, "Did you mean '%s'? 'ktrace %s --help' lists them", near,
				  usage->name);
	return error_hint(err, "'ktrace %s --help' lists them", usage->name);
}

/*
 * Change "--help latency" of sched into "latency --help".  Other words choose a group of options.
 */
static void subcommands_take_help(const struct command_usage *usage, int argc, char **argv)
{
	const struct subcommand *row;
	char *help;

	if (argc < 3 || (strcmp(argv[1], "--help") && strcmp(argv[1], "-h")))
		return;
	row = *argv[2] ? subcommand_find(usage->commands, argv[2]) : NULL;
	if (!row || !row->run)
		return;
	help = argv[1];
	argv[1] = argv[2];
	argv[2] = help;
}

struct error *subcommands_run(const struct command_usage *usage, void *data, int argc, char **argv,
			      int *ret_status)
{
	const struct subcommand *row;
	struct subcommand_call call;
	const char *name;
	struct error *err;
	int index;

	subcommands_take_help(usage, argc, argv);
	err = subcommands_parse(usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	name = index < argc ? argv[index] : "";
	row = subcommand_find(usage->commands, name);
	if (!row && index == argc)
		return error_hint(error_new(EINVAL, "%s needs a command", usage->name),
				  "'ktrace %s --help' lists its commands", usage->name);
	if (!row)
		return subcommand_unknown(usage, name);
	if (!row->run)
		return error_hint(error_new(ENOSYS, "ktrace %s %s is not built yet", usage->name,
					    row->name), "%s", row->instead);
	call = (struct subcommand_call){
		.command = usage->name, .row = row, .data = data,
		.argc = argc - index, .argv = argv + index, .ret_status = ret_status,
	};
	return row->run(&call);
}

struct error *subcommand_parse(const struct subcommand_call *call, const char *synopsis,
			       const struct option_spec *options, int *ret_index)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	struct command_usage usage = {
		.synopsis = synopsis, .summary = call->row->summary, .options = options,
	};

	strbuf_addf(&name, "%s %s", call->command, call->row->name);
	if (name.failed)
		return &error_no_memory;
	usage.name = strbuf_str(&name);
	return command_parse(&usage, call->argc, call->argv, ret_index);
}

struct error *subcommand_do(const struct subcommand_call *call, const struct option_spec *options,
			    struct error *(*run)(void *data))
{
	int index;
	struct error *err = subcommand_parse(call, "[OPTIONS]", options, &index);

	if (err || index < 0)
		return err;
	if (index < call->argc)
		return error_hint(error_new(EINVAL, "%s %s takes no argument '%s'",
					    call->command, call->row->name, call->argv[index]),
				  "-i FILE names the recording");
	return run(call->data);
}

/* The command line under construction. */
struct subcommand_words {
	struct words words;
	const char *system;
	bool if_there;		/* leave out events that the kernel lacks */
};

static struct error *subcommand_add_event(void *data, const char *name)
{
	struct subcommand_words *w = data;
	uint64_t id;
	struct error *err = w->if_there ? tracefs_event_id(w->system, name, &id) : NULL;

	if (!err) {
		words_add(&w->words, "-e");
		words_addf(&w->words, "%s:%s", w->system, name);
	}
	error_free(err);
	return NULL;
}

static struct error *subcommand_add_events(struct subcommand_words *w,
					   const struct subcommand_events *group)
{
	struct error *err = NULL;

	w->system = group->system;
	w->if_there = false;
	if (group->always)
		err = word_list_each(group->always, " ", subcommand_add_event, w);
	w->if_there = true;
	if (!err && group->if_there)
		err = word_list_each(group->if_there, " ", subcommand_add_event, w);
	return err;
}

struct error *subcommand_record(const struct subcommand_call *call, const char *const *options,
				const struct subcommand_events *events, unsigned int parts)
{
	struct subcommand_words w = { 0 };
	struct error *err = NULL;

	words_add(&w.words, "record");
	for (; *options; options++)
		words_add(&w.words, *options);
	for (; events->system && !err; events++)
		if (!events->part || events->part & parts)
			err = subcommand_add_events(&w, events);
	words_add_all(&w.words, call->argv + 1);
	if (!err)
		err = command_call(&w.words, call->ret_status);
	words_deinit(&w.words);
	return err;
}
