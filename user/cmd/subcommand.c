// SPDX-License-Identifier: GPL-2.0
#include "cmd/subcommand.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/tracefs.h"
#include "lib/array.h"
#include "terminal/words.h"

struct error *subcommand_find(const char *command, const struct command_usage *usage, int *argc,
			      char ***argv, bool *ret_run)
{
	int index;
	struct error *err = command_parse(usage, *argc, *argv, &index);

	if (err)
		return err;
	*ret_run = index >= 0;
	if (index < 0)
		return NULL;
	if (index == *argc)
		return error_hint(error_new(EINVAL, "%s needs to know what to do", command),
				  "'ktrace %s --help' lists its commands", command);
	*argc -= index;
	*argv += index;
	return NULL;
}

struct error *subcommand_parse(const char *command, const struct option_spec *options, int argc,
			       char **argv, bool *ret_run)
{
	const char *name = argv[0];
	char synopsis[64];
	const struct command_usage usage = {
		.name = command, .synopsis = synopsis, .options = options,
	};
	struct error *err;
	int index;

	snprintf(synopsis, sizeof(synopsis), "%s [OPTIONS]", name);
	err = command_parse(&usage, argc, argv, &index);
	if (err)
		return err;
	*ret_run = index >= 0;
	if (index >= 0 && index < argc)
		return error_hint(error_new(EINVAL, "%s %s does not know what to do with '%s'",
					    command, name, argv[index]),
				  "-i FILE names the recording");
	return NULL;
}

bool subcommand_is(const char *name, const char *word)
{
	return strlen(word) > 2 && !strncmp(name, word, strlen(word));
}

struct error *subcommand_unknown(const char *command, const char *const *names, const char *name)
{
	const char *near = NULL;
	struct error *err;

	for (; *names; names++)
		near = word_nearer(name, near, *names);
	err = error_new(EINVAL, "'%s' is not a command of ktrace %s", name, command);
	if (near)
		return error_hint(err, "Did you mean '%s'? 'ktrace %s --help' lists them", near,
				  command);
	return error_hint(err, "'ktrace %s --help' lists them", command);
}

/* The texts of the words "SYSTEM:NAME" belong to @texts. */
static bool subcommand_add_event(struct words *words, struct words *texts, const char *system,
				 const char *name)
{
	char *text;

	if (asprintf(&text, "%s:%s", system, name) < 0)
		return false;
	words_add(texts, text);
	words_add_option(words, "-e", text);
	return true;
}

static bool subcommand_add_events(struct words *words, struct words *texts,
				  const struct subcommand_events *group)
{
	bool ok = true;

	for (const char *const *name = group->always; name && *name && ok; name++)
		ok = subcommand_add_event(words, texts, group->system, *name);
	for (const char *const *name = group->if_there; name && *name && ok; name++) {
		uint64_t id;
		struct error *err = tracefs_event_id(group->system, *name, &id);

		if (!err)
			ok = subcommand_add_event(words, texts, group->system, *name);
		error_free(err);
	}
	return ok;
}

struct error *subcommand_record(const char *const *list, const struct subcommand_events *events,
				char **argv, int *ret_status)
{
	_cleanup_(words) struct words words = { 0 };
	_cleanup_(words) struct words texts = { 0 };
	struct error *err = &error_no_memory;
	bool ok = true;

	words_add(&words, "record");
	for (; *list; list++)
		words_add(&words, *list);
	for (; events->system && ok; events++)
		ok = subcommand_add_events(&words, &texts, events);
	words_add_all(&words, argv + 1);
	if (ok && !texts.failed)
		err = command_call(&words, ret_status);
	for (size_t i = 0; i < texts.nr; i++)
		free(texts.items[i]);
	return err;
}
