// SPDX-License-Identifier: GPL-2.0
#include "cmd/option_texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"

struct option_text {
	const char *command;	/* as typed: "record" */
	const char *of;		/* "latency,map": those of its commands; NULL: all */
	const char *group;
	char letter;
	const char *name, *argument, *help;
};

static const struct option_text option_texts[] = {
#define OPTION_TEXT(...) { __VA_ARGS__ },
#include OPTION_TEXTS
#undef OPTION_TEXT
};

/* Whether @list has a word that begins with @typed, because users may abbreviate commands. */
static bool list_has_begin(const char *list, const char *typed)
{
	size_t len = strlen(typed);

	for (;;) {
		if (!strncmp(list, typed, len))
			return true;
		list = strchr(list, ',');
		if (!list)
			return false;
		list++;
	}
}

static bool is_text_of(const struct option_text *text, const struct command_usage *usage, bool own)
{
	size_t len = strcspn(usage->name, " ");
	const char *last = strrchr(usage->name, ' ');

	if (strncmp(text->command, usage->name, len) || text->command[len] || !text->of == own)
		return false;
	return !own || (last && list_has_begin(text->of, last + 1));
}

static bool is_same_option(const struct option_text *text, const struct option_spec *o)
{
	if (text->name && o->name)
		return !strcmp(text->name, o->name);
	return !text->name && !o->name && text->letter == o->letter;
}

static void option_complete(struct option_spec *o, const struct option_text *text)
{
	o->letter = text->letter;
	o->argument = text->argument;
	o->group = text->group;
	if (!o->help)
		o->help = text->help;
}

/* Copy the texts: first those of the command's own command, if @own, then the rest. */
static size_t take_texts(const struct command_usage *usage, bool own, bool *taken,
			 struct option_spec *ret)
{
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(option_texts); i++) {
		if (!is_text_of(&option_texts[i], usage, own))
			continue;
		for (size_t j = 0; usage->options[j].kind; j++) {
			if (taken[j] || usage->options[j].hidden ||
			    !is_same_option(&option_texts[i], &usage->options[j]))
				continue;
			taken[j] = true;
			ret[nr] = usage->options[j];
			option_complete(&ret[nr++], &option_texts[i]);
		}
	}
	return nr;
}

/* Only an option with a function may lack the argument of the page, because NULL can be passed. */
static struct error *check_argument(const struct command_usage *usage, const struct option_spec *o)
{
	bool takes = o->kind == OPTION_STRING || o->kind == OPTION_UINT;
	bool takes_none = o->kind == OPTION_FLAG || o->kind == OPTION_COUNT;

	if ((takes && !o->argument) || (takes_none && o->argument))
		return error_new(ENOENT, "The page ktrace-%.*s.1.rst describes the option %s%s with%s "
				 "an argument", (int)strcspn(usage->name, " "), usage->name,
				 o->name ? "--" : "-",
				 o->name ? o->name : (char []){ o->letter, 0 }, takes ? "out" : "");
	return NULL;
}

struct error *option_texts_add(const struct command_usage *usage, struct option_spec **ret)
{
	_cleanup_free_ struct option_spec *options = NULL;
	_cleanup_free_ bool *taken = NULL;
	size_t nr = 0, all = 0;

	while (usage->options[all].kind)
		all++;
	options = calloc(all + 1, sizeof(*options));
	taken = calloc(all + 1, sizeof(*taken));
	if (!options || !taken)
		return &error_no_memory;
	nr = take_texts(usage, true, taken, options);
	nr += take_texts(usage, false, taken, options + nr);
	for (size_t i = 0; i < nr; i++) {
		struct error *err = check_argument(usage, &options[i]);

		if (err)
			return err;
	}
	for (size_t i = 0; i < all; i++) {
		const struct option_spec *o = &usage->options[i];

		if (o->hidden)
			options[nr++] = *o;
		else if (!taken[i])
			return error_new(ENOENT, "The page ktrace-%.*s.1.rst does not describe the "
					 "option %s%s", (int)strcspn(usage->name, " "), usage->name,
					 o->name ? "--" : "-",
					 o->name ? o->name : (char []){ o->letter, 0 });
	}
	*ret = take_ptr(options);
	return NULL;
}
