// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/config_defaults.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/perf_config.h"
#include "lib/strbuf.h"
#include "terminal/options.h"

struct config_command {
	bool list, obeyed, user, system;
	bool missing;		/* a setting that was asked for is not set */
};

/* Read the file that the options name, or both. */
static struct error *config_read(const struct config_command *c, struct perf_config *ret)
{
	_cleanup_free_ char *path = NULL;
	struct error *err;

	if (!c->user && !c->system)
		return perf_config_read(ret);
	err = perf_config_path(c->system ? PERF_CONFIG_SYSTEM : PERF_CONFIG_USER, &path);
	return err ? err : perf_config_read_file(ret, path);
}

static void config_print(const struct perf_setting *setting)
{
	printf("%s=%s\n", setting->name, setting->value);
}

static bool config_is_section(const char *a, const char *b)
{
	size_t len = strcspn(a, ".");

	return !strncmp(a, b, len) && b[len] == '.';
}

static void config_tell_names(const struct perf_config *config, bool known, const char *what)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < config->nr; i++)
		if (!config_is_obeyed(config->items[i].name) &&
		    config_is_known(config->items[i].name) == known)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", config->items[i].name);
	if (names.len)
		log_notice("%s: %s.", what, strbuf_str(&names));
}

static void config_tell(const struct perf_config *config)
{
	config_tell_names(config, true, "These settings are for perf alone");
	config_tell_names(config, false, "Neither ktrace nor perf 7.3 has settings of such names");
}

/* As perf does, print each section where its first setting is. */
static struct error *config_list(const struct config_command *c)
{
	_cleanup_(perf_config) struct perf_config config = { .nr = 0 };
	struct error *err = config_read(c, &config);

	for (size_t i = 0; i < config.nr && !err; i++) {
		size_t first = 0;

		while (!config_is_section(config.items[first].name, config.items[i].name))
			first++;
		for (size_t j = i; first == i && j < config.nr; j++)
			if (config_is_section(config.items[i].name, config.items[j].name))
				config_print(&config.items[j]);
	}
	if (!err)
		config_tell(&config);
	return err;
}

static struct error *config_list_obeyed(const struct config_command *c)
{
	_cleanup_(perf_config) struct perf_config config = { .nr = 0 };
	struct error *err = config_read(c, &config);

	for (size_t i = 0; i < config.nr && !err; i++)
		if (config_is_obeyed(config.items[i].name))
			config_print(&config.items[i]);
	return err;
}

static struct error *config_show(struct config_command *c, const char *name)
{
	_cleanup_(perf_config) struct perf_config config = { .nr = 0 };
	struct error *err = config_read(c, &config);
	const char *value = err ? NULL : perf_config_get(&config, name);

	if (err)
		return err;
	if (value) {
		config_print(&(struct perf_setting){ (char *)name, (char *)value });
		return NULL;
	}
	c->missing = true;
	error_report(strchr(name, '.') ?
		     error_hint(error_new(ENOENT, "%s is not set", name),
				"'ktrace config --list' shows the settings") :
		     error_hint(error_new(EINVAL, "'%s' is no name of a setting", name),
				"It has a section, as in report.percent-limit"));
	return NULL;
}

/* Print or set one setting, "report.percent-limit" or "report.percent-limit=2". */
static struct error *config_do(struct config_command *c, const char *word)
{
	size_t len = strcspn(word, "=");
	_cleanup_free_ char *name = strndup(word, len), *path = NULL;
	struct error *err;

	if (!name)
		return &error_no_memory;
	if (!word[len])
		return config_show(c, name);
	if (!word[len + 1])
		return error_hint(error_new(EINVAL, "'%s' has no value", word),
				  "Write it behind the sign =, as in report.percent-limit=2");
	err = perf_config_path(c->system ? PERF_CONFIG_SYSTEM : PERF_CONFIG_USER, &path);
	return err ? err : perf_config_set(path, name, word + len + 1);
}

struct error *cmd_config(int argc, char **argv, int *ret_status)
{
	struct config_command c = { .list = false };
	const struct option_spec options[] = {
		OPT_FLAG("list", &c.list),
		OPT_FLAG("obeyed", &c.obeyed),
		OPT_FLAG("user", &c.user),
		OPT_FLAG("system", &c.system),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "config",
		.synopsis = "[OPTIONS] [SECTION.NAME[=VALUE]]...",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (c.user && c.system)
		return error_hint(error_new(EINVAL, "config reads or writes one file: --user and --system "
					    "exclude each other"), "Leave out one of them");
	if (c.list || c.obeyed)
		err = options_no_argument(&usage, argc, argv, index);
	if (!err && index == argc)
		return c.obeyed ? config_list_obeyed(&c) : config_list(&c);
	for (; index < argc && !err; index++)
		err = config_do(&c, argv[index]);
	*ret_status = c.missing ? EXIT_FAILURE : 0;
	return err;
}
