// SPDX-License-Identifier: GPL-2.0
#include "cmd/config_defaults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/array.h"
#include "lib/perf_config.h"
#include "terminal/word_list.h"

static const struct config_key {
	const char *setting, *command, *yes, *no, *unless;
} config_keys[] = {
#define CONFIG_KEY(...) { __VA_ARGS__ },
#include "cmd/config_keys.def"
#undef CONFIG_KEY
};

/* Sections of perf 7.3, whose other settings are for perf alone. */
static const char *const config_sections[] = {
	"annotate", "auxtrace", "buildid", "buildid-cache", "call-graph", "colors", "convert", "core",
	"daemon", "diff", "ftrace", "hist", "intel-pt", "itrace", "kmem", "man", "pager", "record",
	"report", "samples", "script", "scripts", "stat", "top", "trace", "tui", "ui",
};

/* Settings that are not defaults of options. */
static const char *const config_others[] = { "buildid.dir" };

bool config_is_obeyed(const char *setting)
{
	for (size_t i = 0; i < ARRAY_SIZE(config_keys); i++)
		if (!strcasecmp(config_keys[i].setting, setting))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(config_others); i++)
		if (!strcasecmp(config_others[i], setting))
			return true;
	return false;
}

bool config_is_known(const char *setting)
{
	size_t len = strcspn(setting, ".");

	for (size_t i = 0; i < ARRAY_SIZE(config_sections); i++)
		if (!strncasecmp(config_sections[i], setting, len) && !config_sections[i][len])
			return true;
	return !strncasecmp(setting, "session-", strlen("session-"));
}

/* Whether the command line has one of the options in @unless, which may have a value behind it. */
static bool config_is_overruled(const struct config_key *key, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		size_t len = strcspn(argv[i], "=");
		const char *word = key->unless;

		for (; *word; word += strcspn(word, " "), word += strspn(word, " "))
			if (len == strcspn(word, " ") && !strncmp(word, argv[i], len))
				return true;
	}
	return false;
}

/* As in perf; -1: it is none of both. */
static int config_truth(const char *value)
{
	static const char *const words[] = { "no", "false", "off", "0", "yes", "true", "on", "1" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(words[i], value))
			return i >= ARRAY_SIZE(words) / 2;
	return -1;
}

static struct error *config_add_default(const struct config_key *key, const char *value,
					struct words *ret)
{
	int truth = config_truth(value);

	if (!key->no) {
		words_add(ret, key->yes);
		words_add(ret, value);
		return NULL;
	}
	if (truth < 0)
		return error_hint(error_new(EINVAL, "The setting %s is '%s', which is neither yes nor "
					    "no", key->setting, value),
				  "'ktrace config %s=yes' changes it", key->setting);
	if (*(truth ? key->yes : key->no))
		words_add(ret, truth ? key->yes : key->no);
	return NULL;
}

struct error *config_defaults_add(const char *command, int argc, char **argv, struct words *ret,
				  int *ret_nr)
{
	/* Options point to its strings as long as the process lives. */
	static struct perf_config config;
	struct error *err = NULL;
	bool wanted = false;

	words_add(ret, argv[0]);
	for (size_t i = 0; i < ARRAY_SIZE(config_keys); i++)
		wanted |= !strcmp(config_keys[i].command, command);
	/* Completion requests the list of options with a command line of its own. */
	wanted &= argc != 2 || strcmp(argv[1], "--list-options");
	if (wanted && !config.nr)
		err = perf_config_read(&config);
	for (size_t i = 0; wanted && !err && i < ARRAY_SIZE(config_keys); i++) {
		const struct config_key *key = &config_keys[i];
		const char *value = perf_config_get(&config, key->setting);

		if (value && !strcmp(key->command, command) &&
		    !config_is_overruled(key, argc, argv))
			err = config_add_default(key, value, ret);
	}
	*ret_nr = ret->nr - 1;
	words_add_all(ret, argv + 1);
	return err ? err : words_argv(ret) ? NULL : &error_no_memory;
}
