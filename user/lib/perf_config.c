// SPDX-License-Identifier: GPL-2.0
#include "lib/perf_config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"
#include "lib/new_file.h"
#include "lib/strbuf.h"

#define SYSTEM_CONFIG "/etc/perfconfig"

/* A parser of a text.  The next item begins at `at`. */
struct config_text {
	const char *at;
	unsigned int line;
	struct strbuf section;	/* "report." */
	struct strbuf name, value;	/* of the last setting */
	const char *value_at, *value_end;	/* location of the value */
	const char *content_end;	/* of the last section or setting, before white space */
};

static void config_text_deinit(struct config_text *text)
{
	strbuf_deinit(&text->section);
	strbuf_deinit(&text->name);
	strbuf_deinit(&text->value);
}

DEFINE_CLEANUP(config_text, struct config_text, config_text_deinit)

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_';
}

/* Take a character, and count line ends, also those behind a backslash. */
static char config_take(struct config_text *text)
{
	char c = *text->at;

	if (c)
		text->at++;
	if (c == '\n')
		text->line++;
	return c;
}

/* Skip white space, empty lines and comments. */
static void config_skip(struct config_text *text)
{
	for (;;) {
		if (*text->at == '#' || *text->at == ';')
			text->at += strcspn(text->at, "\n");
		else if (isspace((unsigned char)*text->at))
			config_take(text);
		else
			return;
	}
}

static void config_skip_blanks(struct config_text *text)
{
	while (*text->at == ' ' || *text->at == '\t' || *text->at == '\r')
		text->at++;
}

/* Take the text between the quotes of [annotate "x86"]; false: the closing quote is missing. */
static bool config_take_subsection(struct config_text *text)
{
	strbuf_addch(&text->section, '.');
	for (text->at++; *text->at != '"'; text->at++) {
		if (*text->at == '\\')
			text->at++;
		if (!*text->at || *text->at == '\n')
			return false;
		strbuf_addch(&text->section, *text->at);
	}
	text->at++;
	return true;
}

/* Take "[report]" or [annotate "x86"]; false: it is neither. */
static bool config_take_section(struct config_text *text)
{
	strbuf_reset(&text->section);
	for (text->at++; is_name_char(*text->at) || *text->at == '.'; text->at++)
		strbuf_addch(&text->section, tolower((unsigned char)*text->at));
	config_skip_blanks(text);
	if (!text->section.len || (*text->at == '"' && !config_take_subsection(text)) ||
	    *text->at != ']')
		return false;
	text->at++;
	strbuf_addch(&text->section, '.');
	return true;
}

/* Take the character behind a backslash; false: it has no meaning there. */
static bool config_take_escape(struct config_text *text)
{
	static const char letters[] = "tbn\\\"", meant[] = "\t\b\n\\\"";
	char c = config_take(text);
	const char *found = c ? strchr(letters, c) : NULL;

	if (found)
		strbuf_addch(&text->value, meant[found - letters]);
	return found || c == '\n';
}

/* Take a value up to the end of its line; false: a quote is not closed, or a backslash is wrong. */
static bool config_take_value(struct config_text *text)
{
	bool quoted = false, space = false;

	strbuf_reset(&text->value);
	text->value_at = text->value_end = text->at;
	for (;;) {
		char c = *text->at;

		if (!c || c == '\n')
			return !quoted;
		if (!quoted && (c == '#' || c == ';')) {
			text->at += strcspn(text->at, "\n");
			return true;
		}
		config_take(text);
		if (!quoted && isspace((unsigned char)c)) {
			space = true;
			continue;
		}
		/* As in perf, white space between words is one blank. */
		if (space && text->value.len)
			strbuf_addch(&text->value, ' ');
		space = false;
		if (c == '"')
			quoted = !quoted;
		else if (c != '\\')
			strbuf_addch(&text->value, c);
		else if (!config_take_escape(text))
			return false;
		text->value_end = text->at;
	}
}

/* Take NAME = VALUE; false: it is something else. */
static bool config_take_setting(struct config_text *text)
{
	if (!text->section.len || !isalpha((unsigned char)*text->at))
		return false;
	strbuf_reset(&text->name);
	strbuf_addstr(&text->name, strbuf_str(&text->section));
	for (; is_name_char(*text->at); text->at++)
		strbuf_addch(&text->name, tolower((unsigned char)*text->at));
	config_skip_blanks(text);
	if (*text->at != '=')
		return false;
	text->at++;
	config_skip_blanks(text);
	return config_take_value(text);
}

/*
 * Go on to the next section or setting; *ret_setting distinguishes them.  False: the text has
 * ended, or *@err is set.
 */
static bool config_next(struct config_text *text, const char *path, bool *ret_setting,
			struct error **err)
{
	bool known;

	config_skip(text);
	if (!*text->at)
		return false;
	*ret_setting = *text->at != '[';
	known = *ret_setting ? config_take_setting(text) : config_take_section(text);
	text->content_end = *ret_setting ? text->value_end : text->at;
	if (!known)
		*err = error_hint(error_new(EBADMSG, "%s: line %u is neither a section nor NAME = VALUE "
					    "in one", path, text->line),
				  "A section looks like [report], a value with quotes or "
				  "backslashes like \"C:\\\\a \\\"b\\\"\"");
	else if (text->section.failed || text->name.failed || text->value.failed)
		*err = &error_no_memory;
	return !*err;
}

struct error *perf_config_path(enum perf_config_file which, char **ret)
{
	const char *only = getenv("PERF_CONFIG"), *home = getenv("HOME");
	int len;

	if (!only && which == PERF_CONFIG_USER && (!home || !*home))
		return error_hint(error_new(ENOENT, "HOME names no folder for .perfconfig"),
				  "PERF_CONFIG=FILE names the file itself");
	if (only)
		len = asprintf(ret, "%s", only);
	else if (which == PERF_CONFIG_SYSTEM)
		len = asprintf(ret, "%s", SYSTEM_CONFIG);
	else
		len = asprintf(ret, "%s/.perfconfig", home);
	return len < 0 ? &error_no_memory : NULL;
}

/* Compare names.  Case matters only between the first dot and the last. */
static bool config_is_name(const char *a, const char *b)
{
	const char *dot = strchr(a, '.'), *last = strrchr(a, '.');
	size_t len = strlen(a);

	if (len != strlen(b) || strcasecmp(a, b))
		return false;
	return !dot || !strncmp(dot, b + (dot - a), last - dot);
}

static struct perf_setting *config_find(const struct perf_config *config, const char *name)
{
	for (size_t i = 0; i < config->nr; i++)
		if (config_is_name(config->items[i].name, name))
			return &config->items[i];
	return NULL;
}

const char *perf_config_get(const struct perf_config *config, const char *name)
{
	const struct perf_setting *found = config_find(config, name);

	return found ? found->value : NULL;
}

static struct error *config_add(struct perf_config *config, const struct config_text *text)
{
	struct perf_setting *found = config_find(config, text->name.data);
	struct perf_setting made = { .value = strdup(strbuf_str(&text->value)) };

	if (!made.value)
		return &error_no_memory;
	if (found) {
		free(found->value);
		found->value = made.value;
		return NULL;
	}
	made.name = strdup(text->name.data);
	if (made.name && array_push(config, made))
		return NULL;
	free(made.name);
	free(made.value);
	return &error_no_memory;
}

static struct error *config_check_owner(const char *path)
{
	struct stat st;

	if (stat(path, &st) || !st.st_uid || st.st_uid == geteuid())
		return NULL;
	return error_hint(error_new(EPERM, "%s belongs to another user, so it is not read", path),
			  "PERF_CONFIG=FILE names another file");
}

/* Read the text of a file; *ret is NULL if there is none. */
static struct error *config_read_text(const char *path, char **ret)
{
	size_t len;
	struct error *err = config_check_owner(path);

	*ret = NULL;
	if (!err)
		err = file_read(path, ret, &len);
	if (!err || err->code != ENOENT)
		return err;
	error_free(err);
	return NULL;
}

struct error *perf_config_read_file(struct perf_config *config, const char *path)
{
	_cleanup_free_ char *content = NULL;
	_cleanup_(config_text) struct config_text text = { .line = 1 };
	struct error *err = config_read_text(path, &content);
	bool setting;

	text.at = content ? content : "";
	while (!err && config_next(&text, path, &setting, &err))
		if (setting)
			err = config_add(config, &text);
	return err;
}

static bool config_is_on(const char *variable)
{
	const char *value = getenv(variable);

	return value && strcmp(value, "0") && strcasecmp(value, "false") && strcasecmp(value, "no") &&
	       strcasecmp(value, "off") && *value;
}

struct error *perf_config_read(struct perf_config *config)
{
	static const char *const without[] = {
		[PERF_CONFIG_SYSTEM] = "PERF_CONFIG_NOSYSTEM",
		[PERF_CONFIG_USER] = "PERF_CONFIG_NOGLOBAL",
	};
	bool only = getenv("PERF_CONFIG");
	struct error *err = NULL;

	for (size_t i = only; i < ARRAY_SIZE(without) && !err; i++) {
		_cleanup_free_ char *path = NULL;

		if (!only && config_is_on(without[i]))
			continue;
		err = perf_config_path(i, &path);
		if (err && err->code == ENOENT) {
			error_free(take_ptr(err));
			continue;
		}
		if (!err)
			err = perf_config_read_file(config, path);
	}
	return err;
}

/* Check "section.name" and split it; *ret_key is the part behind the last dot. */
static struct error *config_check_name(const char *name, const char **ret_key)
{
	const char *dot = strchr(name, '.'), *last = strrchr(name, '.');
	bool good = dot && dot != name && isalpha((unsigned char)last[1]);

	for (const char *p = name; good && p < dot; p++)
		good = is_name_char(*p);
	for (const char *p = good ? last + 1 : ""; good && *p; p++)
		good = is_name_char(*p);
	if (!good || strchr(name, '\n'))
		return error_hint(error_new(EINVAL, "'%s' is no name of a setting", name),
				  "It is a section, a dot and a name of letters, digits, - and _, as in "
				  "report.percent-limit");
	*ret_key = last + 1;
	return NULL;
}

/* Append a value as config_take_value() reads it. */
static void config_add_value(struct strbuf *out, const char *value)
{
	size_t len = strlen(value);
	bool quote = !len || strpbrk(value, "#;\"\\\n\t\b") || strstr(value, "  ") ||
		     isspace((unsigned char)value[0]) || isspace((unsigned char)value[len - 1]);

	if (!quote) {
		strbuf_addstr(out, value);
		return;
	}
	strbuf_addch(out, '"');
	for (; *value; value++) {
		static const char special[] = "\t\b\n\\\"", letters[] = "tbn\\\"";
		const char *found = strchr(special, *value);

		if (found) {
			strbuf_addch(out, '\\');
			strbuf_addch(out, letters[found - special]);
		} else {
			strbuf_addch(out, *value);
		}
	}
	strbuf_addch(out, '"');
}

/* Append "[annotate "x86"]" for the section of @name, which ends before @key. */
static void config_add_section(struct strbuf *out, const char *name, const char *key)
{
	const char *dot = strchr(name, '.');

	strbuf_addf(out, "[%.*s", (int)(dot - name), name);
	if (dot != key - 1) {
		strbuf_addstr(out, " \"");
		for (const char *p = dot + 1; p < key - 1; p++) {
			if (*p == '"' || *p == '\\')
				strbuf_addch(out, '\\');
			strbuf_addch(out, *p);
		}
		strbuf_addch(out, '"');
	}
	strbuf_addstr(out, "]\n");
}

/* The location of a value in a text. */
struct config_place {
	const char *value, *value_end;	/* NULL: the setting is not there yet */
	const char *section_end;	/* behind its section; NULL: there is none */
};

static struct error *config_find_place(const char *content, const char *path, const char *name,
				       const char *key, struct config_place *ret)
{
	_cleanup_(config_text) struct config_text text = { .at = content, .line = 1 };
	_cleanup_free_ char *section = strndup(name, key - name);
	struct error *err = NULL;
	bool setting;

	if (!section)
		return &error_no_memory;
	while (config_next(&text, path, &setting, &err)) {
		if (setting && config_is_name(text.name.data, name)) {
			ret->value = text.value_at;
			ret->value_end = text.value_end;
		}
		if (config_is_name(text.section.data, section))
			ret->section_end = text.content_end;
	}
	return err;
}

/* Create the new text of the file. */
static void config_edit(const char *content, const struct config_place *place, const char *name,
			const char *key, const char *value, struct strbuf *out)
{
	const char *end = content + strlen(content), *rest;

	if (place->value) {
		strbuf_add(out, content, place->value - content);
		config_add_value(out, value);
		strbuf_addstr(out, place->value_end);
		return;
	}
	/* A comment behind the last setting of the section stays in its line. */
	rest = place->section_end ? place->section_end + strcspn(place->section_end, "\n") : end;
	strbuf_add(out, content, rest - content);
	if (out->len && out->data[out->len - 1] != '\n')
		strbuf_addch(out, '\n');
	if (!place->section_end)
		config_add_section(out, name, key);
	strbuf_addf(out, "\t%s = ", key);
	config_add_value(out, value);
	strbuf_addstr(out, *rest ? rest : "\n");
}

static struct error *config_write(const char *path, const struct strbuf *text)
{
	_cleanup_(new_file) struct new_file file = NEW_FILE_INIT;
	_cleanup_free_ char *real = realpath(path, NULL);
	struct stat st;
	bool old = real && !stat(real, &st);
	/*
	 * A symbolic link is kept: its target is replaced.  Users link such files from elsewhere.
	 */
	struct error *err = new_file_create(&file, real ? real : path);
	int code;

	if (err)
		return err;
	code = fd_write_all(file.fd, text->data, text->len);
	if (code)
		return error_errno(-code, "Cannot write %s", path);
	err = new_file_share(&file);
	if (!err && old && fchmod(file.fd, st.st_mode & 07777))
		err = error_errno(errno, "Cannot write %s", path);
	return err ? err : new_file_commit(&file);
}

struct error *perf_config_set(const char *path, const char *name, const char *value)
{
	_cleanup_free_ char *content = NULL;
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;
	struct config_place place = { .value = NULL };
	const char *key = NULL, *old;
	struct error *err = config_check_name(name, &key);

	if (!err)
		err = config_read_text(path, &content);
	old = content ? content : "";
	if (!err)
		err = config_find_place(old, path, name, key, &place);
	if (err)
		return err;
	config_edit(old, &place, name, key, value, &out);
	return out.failed ? &error_no_memory : config_write(path, &out);
}

void perf_config_deinit(struct perf_config *config)
{
	for (size_t i = 0; i < config->nr; i++) {
		free(config->items[i].name);
		free(config->items[i].value);
	}
	free(config->items);
}
