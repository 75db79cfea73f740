// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/file.h"
#include "lib/strbuf.h"
#include "perfdata/redact/redaction_state.h"
#include "record/body.h"
#include "terminal/word_list.h"

static const struct {
	const char *name;
	unsigned int what;
} redaction_words[] = {
	{ "comm", REDACT_COMM },
	{ "path", REDACT_PATH },
	{ "cmdline", REDACT_CMDLINE },
	{ "host", REDACT_HOST },
	{ "kernel", REDACT_KERNEL },
	{ "all", REDACT_COMM | REDACT_PATH | REDACT_CMDLINE | REDACT_HOST | REDACT_KERNEL |
		 REDACT_FIELDS },
};

struct error *redaction_create(const char *key, struct redaction **ret)
{
	_cleanup_(redaction) struct redaction *redaction = calloc(1, sizeof(*redaction));
	_cleanup_free_ char *bytes = NULL;
	struct error *err;
	size_t size = 0;

	if (!redaction)
		return &error_no_memory;
	redaction->record = malloc(1 << 16);
	err = redaction->record ? NULL : &error_no_memory;
	if (!err && key)
		err = file_read(key, &bytes, &size);
	if (!err) {
		err = pseudonyms_create(bytes, size, &redaction->pseudonyms);
		if (err && key)
			error_prefix(err, "%s", key);
	}
	if (err)
		return err;
	*ret = take_ptr(redaction);
	return NULL;
}

void redaction_destroy(struct redaction *redaction)
{
	if (!redaction)
		return;
	for (size_t i = 0; i < redaction->rules.nr; i++) {
		free(redaction->rules.items[i].fields);
		free(redaction->rules.items[i].values);
	}
	free(redaction->rules.items);
	free(redaction->code.items);
	pseudonyms_destroy(redaction->pseudonyms);
	strbuf_deinit(&redaction->text);
	free(redaction->record);
	free(redaction);
}

static bool names_fields(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && colon > text && strchr(colon, '.') && !strchr(text, '/');
}

static struct error *parse_rule(char *what, struct redaction_rule *ret)
{
	_cleanup_(strbuf) struct strbuf words = STRBUF_INIT;
	char *values = strchr(what, '=');
	unsigned int row;

	if (values) {
		*values++ = '\0';
		ret->values = strdup(values);
		if (!ret->values)
			return &error_no_memory;
	}
	row = word_find(WORDS(redaction_words), what);
	if (row != WORD_NONE)
		ret->what = redaction_words[row].what;
	if (!ret->what && names_fields(what)) {
		ret->what = REDACT_FIELDS;
		ret->fields = strdup(what);
		return ret->fields ? NULL : &error_no_memory;
	}
	if (ret->what && !(values && !*values))
		return NULL;
	word_add_names(WORDS(redaction_words), ", ", &words);
	return error_hint(error_new(EINVAL, "--redact does not know '%s'", ret->text),
			  "It takes %s or SYSTEM:EVENT.FIELD, and =GLOB behind it for some values "
			  "only", strbuf_str(&words));
}

struct error *redaction_add_rule(struct redaction *redaction, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	struct redaction_rule rule = { .text = text };
	struct error *err = copy ? parse_rule(copy, &rule) : &error_no_memory;

	if (!err && !array_push(&redaction->rules, rule))
		err = &error_no_memory;
	if (err) {
		free(rule.fields);
		free(rule.values);
	}
	return err;
}

static bool rule_is_about(const struct redaction_rule *rule, unsigned int what,
			  const struct event_format *format, const struct field *field)
{
	char name[256];

	if (rule->what & what)
		return true;
	if (!field || !(rule->what & REDACT_FIELDS))
		return false;
	if (!rule->fields)
		return true;
	snprintf(name, sizeof(name), "%s:%s.%s", format->system, format->name, field->name);
	return !fnmatch(rule->fields, name, 0);
}

/* The kind of a field, by its name. */
static unsigned int field_what(const struct field *field)
{
	/*
	 * "__ARGUMENT_val" holds the string to which an argument of a system call points; most are
	 * paths.
	 */
	static const char *const paths[] = {
		"path", "pathname", "filename", "path_val", "pathname_val", "name_val", "special_val",
		"specialfile_val", "library_val", "new_root_val", "put_old_val",
	};

	if (text_ends_with(field->name, "comm"))
		return REDACT_COMM;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (text_ends_with(field->name, paths[i]))
			return REDACT_PATH;
	return 0;
}

bool redaction_wants_field(const struct redaction *redaction, const struct event_format *format,
			   const struct field *field)
{
	for (size_t i = 0; i < redaction->rules.nr; i++)
		if (rule_is_about(&redaction->rules.items[i], field_what(field), format, field))
			return true;
	return false;
}

/* The idle tasks are the same on every machine, and readers know them by name. */
static bool is_idle_task(const char *text, size_t len)
{
	static const char name[] = "swapper";
	size_t at = strlen(name);

	if (len < at || memcmp(text, name, at))
		return false;
	if (len > at && text[at++] != '/')
		return false;
	while (at < len && isdigit((unsigned char)text[at]))
		at++;
	return at == len;
}

static bool redaction_wants(const struct redaction *redaction, unsigned int what,
			    const struct event_format *format, const struct field *field,
			    const char *text, size_t len)
{
	_cleanup_free_ char *value = NULL;

	if (field)
		what |= field_what(field);
	if (!len || is_idle_task(text, len))
		return false;
	for (size_t i = 0; i < redaction->rules.nr; i++) {
		const struct redaction_rule *rule = &redaction->rules.items[i];

		if (!rule_is_about(rule, what, format, field))
			continue;
		if (rule->values && !value)
			value = strndup(text, len);
		/* In doubt, redact. */
		if (!rule->values || !value || !fnmatch(rule->values, value, 0))
			return true;
	}
	return false;
}

struct error *redaction_replace(struct redaction *redaction, unsigned int what,
				const struct event_format *format, const struct field *field,
				char *at, size_t size)
{
	size_t len = strnlen(at, size);
	struct error *err;

	memset(at + len, 0, size - len);
	if (!redaction_wants(redaction, what, format, field, at, len))
		return NULL;
	strbuf_reset(&redaction->text);
	err = pseudonyms_add(redaction->pseudonyms, at, len, &redaction->text);
	if (err)
		return err;
	memset(at, 0, len);
	memcpy(at, redaction->text.data, redaction->text.len);
	return NULL;
}

/* Replace the name in "[NAME]": that of a kernel module or of memory. */
static struct error *replace_in_brackets(struct redaction *redaction, unsigned int what, char *at,
					 size_t size)
{
	const char *close = memchr(at, ']', size);
	size_t len = close - at - 1;
	struct error *err;

	memset(at + 1 + len, 0, size - 1 - len);
	err = redaction_replace(redaction, what, NULL, NULL, at + 1, len);
	/* The pseudonym is not longer. */
	at[1 + strnlen(at + 1, len)] = ']';
	return err;
}

/* Names that the kernel gives; behind some of them, numbers and symbols of its own can follow. */
static bool is_name_of_kernel(const char *text, size_t len)
{
	static const struct {
		const char *name;
		bool goes_on;
	} kept[] = {
		{ "[kernel.kallsyms]", true }, { "[kernel.vmlinux]", true },
		{ "[guest.kernel.kallsyms", true }, { "[stack:", true }, { "[stack]", false },
		{ "[vdso]", false }, { "[vdso32]", false }, { "[vdsox32]", false },
		{ "[vsyscall]", false }, { "[vvar]", false }, { "[vvar_vclock]", false },
		{ "[vectors]", false }, { "[sigpage]", false }, { "[uprobes]", false },
		{ "[heap]", false }, { "//anon", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		size_t size = strlen(kept[i].name);

		if (len >= size && (len == size || kept[i].goes_on) &&
		    !memcmp(text, kept[i].name, size))
			return true;
	}
	return false;
}

/* Whether a module is in a folder of distributions, so that its path is its name. */
static bool is_installed_module(const char *path, size_t len)
{
	static const char *const folders[] = { "/lib/modules/", "/usr/lib/modules/" };

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (len >= strlen(folders[i]) && !memcmp(path, folders[i], strlen(folders[i])))
			return true;
	return false;
}

struct error *redaction_replace_binary(struct redaction *redaction, uint16_t misc, char *at,
				       size_t size)
{
	unsigned int mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool of_kernel = mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;
	unsigned int what = of_kernel ? REDACT_KERNEL : REDACT_PATH;
	size_t len = strnlen(at, size);

	memset(at + len, 0, size - len);
	if (is_name_of_kernel(at, len))
		return NULL;
	if (of_kernel && len && *at == '/' && !is_installed_module(at, len))
		what |= REDACT_PATH;
	if (len && *at == '[' && memchr(at, ']', len))
		return replace_in_brackets(redaction, what, at, size);
	return redaction_replace(redaction, what, NULL, NULL, at, size);
}
