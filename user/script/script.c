// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/own_path.h"
#include "lib/plugin.h"
#include "script/event_script.h"
#include "script/script.h"
#include "script/script_lint.h"
#include "script/script_ops.h"

static const struct script_language script_languages[] = {
	{ "Perl", "pl", NULL },
	{ "Python", "py", "python" },
	{ NULL, NULL, NULL },
};

const struct script_language *script_language_find(const char *text)
{
	for (const struct script_language *l = script_languages; l->name; l++)
		if (!strcasecmp(text, l->name) || !strcasecmp(text, l->extension))
			return l;
	return NULL;
}

void script_languages_print(void)
{
	printf("Scripting language extensions (of -s LANG:FILE):\n\n");
	for (const struct script_language *l = script_languages; l->name; l++)
		printf("  %-8s [%s]%s\n", l->name, l->extension, l->plugin ? "" : "  not built");
}

const char *script_exec_path(void)
{
	static char path[PATH_MAX];
	const char *given = getenv("PERF_EXEC_PATH");

	if (!path[0]) {
		snprintf(path, sizeof(path), "%s", given && *given ? given : own_path());
		setenv("PERF_EXEC_PATH", path, 1);
	}
	return path;
}

static struct error *language_error(const struct script_language *language, const char *file)
{
	return error_hint(error_new(EINVAL, "%s scripts cannot be run by this build: '%s'",
				    language->name, file),
			  "Only Python is built in: 'ktrace script -g python' generates a script "
			  "with a function for each event, 'ktrace script -l' lists the analyses");
}

static struct error *by_language(const char *spec, const char **ret_file)
{
	const struct script_language *language = NULL;
	size_t len = strcspn(spec, ":/");
	char name[16];

	*ret_file = spec;
	if (spec[len] == ':' && len < sizeof(name)) {
		snprintf(name, sizeof(name), "%.*s", (int)len, spec);
		language = script_language_find(name);
		if (language)
			*ret_file = spec + len + 1;
	}
	if (!language) {
		const char *dot = strrchr(spec, '.');

		language = dot ? script_language_find(dot + 1) : NULL;
	}
	if (!language)
		return error_hint(error_new(EINVAL, "'%s' has no known script extension", spec),
				  "Name the language, as in '-s Python:%s'; '-s lang' lists them",
				  spec);
	if (!language->plugin)
		return language_error(language, *ret_file);
	return NULL;
}

struct error *script_find(const char *spec, char **ret)
{
	_cleanup_free_ char *path = NULL;
	const char *file;
	struct error *err;

	err = by_language(spec, &file);
	if (err)
		return err;
	if (access(file, F_OK) == 0 || strchr(file, '/')) {
		path = strdup(file);
	} else if (asprintf(&path, "%s/scripts/python/%s", script_exec_path(), file) >= 0 &&
		   access(path, F_OK) != 0) {
		return error_hint(error_errno(errno, "Cannot find the script '%s'", file),
				  "It is neither here nor in %s/scripts/python; 'ktrace script -l' "
				  "lists the scripts there", script_exec_path());
	}
	if (!path)
		return &error_no_memory;
	*ret = take_ptr(path);
	return NULL;
}

/* ---- functions of the language ------------------------------------------- */

/* Only one script can be open at a time, so there is one language. */
static const struct script_ops *ops;

static struct error *load_language(void)
{
	const struct script_language *language = script_language_find("Python");
	struct error *err;
	char symbol[32];
	void *found;

	if (ops)
		return NULL;
	snprintf(symbol, sizeof(symbol), "script_%s", language->plugin);
	err = plugin_find(language->plugin, symbol, &found);
	if (err)
		return error_prefix(err, "%s scripts cannot be run", language->name);
	ops = found;
	return NULL;
}

bool script_full_source_path;
char *const *script_arch;

struct error *script_open(const char *spec, int argc, char **argv, struct script **ret)
{
	_cleanup_free_ char *path = NULL;
	struct error *err;

	err = script_find(spec, &path);
	if (err)
		return err;
	if (access(path, R_OK) != 0)
		return error_errno(errno, "Cannot open the script '%s'", path);
	err = load_language();
	return err ? err : ops->open(path, argc, argv, ret);
}

struct error *event_script_open(const char *module, int argc, char **argv,
				const struct event_script_options *options, struct script **ret)
{
	struct error *err = load_language();

	return err ? err : ops->open_events(module, argc, argv, options, ret);
}

volatile int *script_stop(struct script *script)
{
	return ops->stop(script);
}

struct error *script_begin(struct script *script)
{
	return ops->begin(script);
}

void script_keep_going(struct script *script)
{
	ops->keep_going(script);
}

struct session_consumer *script_consumer(struct script *script)
{
	return ops->consumer(script);
}

void script_tell_uncalled(struct script *script, const struct formats *formats,
			  const struct event_list *events)
{
	ops->tell_uncalled(script, formats, events);
}

struct error *script_close(struct script *script, struct error *run, int *ret_status)
{
	*ret_status = 0;
	return ops ? ops->close(script, run, ret_status) : run;
}

struct error *script_lint(const char *path, const struct script_lint_formats *formats, FILE *out,
			  struct script_lint_counts *ret)
{
	struct error *err = load_language();

	return err ? err : ops->lint(path, formats, out, ret);
}
