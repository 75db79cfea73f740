// SPDX-License-Identifier: GPL-2.0
#include "probe/definition.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/number.h"
#include "lib/strbuf.h"
#include "probe/argument.h"
#include "spec/caret.h"
#include "terminal/options.h"

/* The kernel's maximal number of arguments of a probe. */
#define DEFINITION_MAX_ARGS 128

static void definition_free_arg(struct probe_arg *arg)
{
	array_free_each(&arg->fields, .name);
	free(arg->name);
	free(arg->text);
	free(arg->variable);
	free(arg->type);
}

void probe_definition_deinit(struct probe_definition *definition)
{
	for (size_t i = 0; i < definition->args.nr; i++)
		definition_free_arg(&definition->args.items[i]);
	free(definition->args.items);
	free(definition->text);
	free(definition->group);
	free(definition->event);
	free(definition->function);
	free(definition->file);
	free(definition->pattern);
	*definition = (struct probe_definition){ 0 };
}

static bool probe_name_is_valid(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return !*name;
}

/*
 * Find the first of @stops in @at[0..@len) that no backslash precedes; @len: none.  The "::" in
 * names of C++ and Rust is none.
 */
static size_t definition_find(const char *at, size_t len, const char *stops)
{
	for (size_t i = 0; i < len; i++) {
		if (at[i] == '\\' || (at[i] == ':' && i + 1 < len && at[i + 1] == ':'))
			i++;
		else if (strchr(stops, at[i]))
			return i;
	}
	return len;
}

/* Copy @len bytes without the backslashes that protect others; NULL: out of memory. */
static char *definition_copy(const char *at, size_t len)
{
	char *copy = malloc(len + 1), *to = copy;

	for (size_t i = 0; copy && i < len; i++) {
		if (at[i] == '\\' && i + 1 < len)
			i++;
		*to++ = at[i];
	}
	if (copy)
		*to = '\0';
	return copy;
}

/* Parse "[GROUP:]EVENT" in front of '='. */
static struct error *definition_parse_name(struct probe_definition *d, size_t at, size_t len)
{
	size_t colon = definition_find(d->text + at, len, ":");

	if (colon < len) {
		d->group = definition_copy(d->text + at, colon);
		if (!d->group)
			return &error_no_memory;
		if (!probe_name_is_valid(d->group))
			return caret_error(d->text, at, "'%s' cannot be the name of a group, which "
					   "consists of letters, digits and '_'", d->group);
		at += colon + 1;
		len -= colon + 1;
	}
	d->event = definition_copy(d->text + at, len);
	if (!d->event)
		return &error_no_memory;
	if (!probe_name_is_valid(d->event))
		return caret_error(d->text, at, "'%s' cannot be the name of an event, which "
				   "consists of letters, digits and '_'", d->event);
	return NULL;
}

/* Parse all of @len digits, decimal or 0x; false: it is not a number. */
static bool definition_number(const char *at, size_t len, uint64_t *ret)
{
	unsigned long long value;
	char digits[32];

	if (len >= sizeof(digits))
		return false;
	memcpy(digits, at, len);
	digits[len] = '\0';
	if (!parse_u64(digits, &value))
		return false;
	*ret = value;
	return true;
}

/* Parse one part of a location, which begins with the @mark at @at - 1. */
static struct error *definition_parse_mark(struct probe_definition *d, char mark, size_t at,
					   size_t len)
{
	const char *text = d->text + at;
	uint64_t number;

	switch (mark) {
	case ':':
		if (!definition_number(text, len, &number) || number > INT32_MAX)
			return caret_error(d->text, at, "The number of a line is expected behind "
					   "':'");
		d->line = number;
		/* As with perf, FUNC:0 is the function itself. */
		d->has_line = number || !d->function;
		return NULL;
	case '+':
		if (!definition_number(text, len, &d->offset))
			return caret_error(d->text, at, "A number of bytes is expected behind '+'");
		return NULL;
	case '@':
		if (d->file)
			return caret_error(d->text, at, "The place has two source files");
		if (!len)
			return caret_error(d->text, at, "The name of a source file is expected "
					   "behind '@'");
		d->file = definition_copy(text, len);
		return d->file ? NULL : &error_no_memory;
	default:
		if (len != strlen("return") || strncmp(text, "return", len))
			return caret_error(d->text, at, "Only 'return' can follow '%%'");
		d->is_return = true;
		return NULL;
	}
}

/* Refuse combinations that are impossible. */
static struct error *definition_check_place(const struct probe_definition *d, size_t end)
{
	const char *why = NULL;

	if (d->has_line && d->offset)
		why = "A place is found by a line or by an offset, not by both";
	else if (d->pattern && (d->has_line || d->offset))
		why = "A place is found by a pattern, a line or an offset, not by several of them";
	else if (d->is_return && (d->has_line || d->offset || d->pattern))
		why = "A function returns at %return alone, without line, offset or pattern";
	else if (!d->function && d->file && !d->has_line && !d->pattern)
		why = "A source file needs a line (FILE:LINE) or a pattern (FILE;TEXT)";
	else if (!d->function && d->has_line && !d->line)
		why = "The lines of a file are counted from 1";
	else if (!d->function && (d->offset || d->is_return))
		why = "An offset or %return needs a function";
	return why ? caret_error(d->text, end, "%s", why) : NULL;
}

/* As perf does, treat a text with a '.' before ':' or ';', and without "+@%", as a file. */
static bool definition_begins_with_file(const char *text, size_t len)
{
	size_t stop = definition_find(text, len, ";:");

	return stop < len && definition_find(text, stop, "+@%") == stop && memchr(text, '.', stop);
}

/* Parse the first @len characters of the location, which has @all. */
static struct error *definition_parse_start(struct probe_definition *d, size_t at, size_t len,
					    size_t all)
{
	bool is_file = definition_begins_with_file(d->text + at, all);
	char *start = definition_copy(d->text + at, len);
	unsigned long long address;

	if (!start)
		return &error_no_memory;
	*(is_file ? &d->file : &d->function) = start;
	if (!len)
		return caret_error(d->text, at, "The name of a function or a source file is "
				   "expected");
	if (is_file || strncmp(start, "0x", 2))
		return NULL;
	if (!parse_u64(start, &address))
		return caret_error(d->text, at, "'%s' is no address", start);
	d->address = address;
	d->has_address = true;
	return NULL;
}

static struct error *definition_parse_place(struct probe_definition *d, size_t at, size_t len)
{
	size_t end = at + len, next = definition_find(d->text + at, len, ";:+@%");
	struct error *err = definition_parse_start(d, at, next, len);

	d->at = at;
	at += next;
	while (!err && at < end) {
		char mark = d->text[at++];

		if (mark == ';') {
			d->pattern = strndup(d->text + at, end - at);
			if (!d->pattern)
				return &error_no_memory;
			if (at == end)
				return caret_error(d->text, at, "A pattern is expected behind ';'");
			break;
		}
		next = definition_find(d->text + at, end - at, ";:+@%");
		err = definition_parse_mark(d, mark, at, next);
		at += next;
	}
	return err ? err : definition_check_place(d, d->at);
}

/* Parse "sdt_PROVIDER:NAME" or "%PROVIDER:NAME"; both name the group sdt_PROVIDER. */
static struct error *definition_parse_sdt(struct probe_definition *d, size_t at, size_t len)
{
	bool short_form = d->text[at] == '%';
	size_t colon;

	at += short_form;
	len -= short_form;
	colon = definition_find(d->text + at, len, ":");
	if (colon == len || colon + 1 == len)
		return caret_error(d->text, at + colon, "':' and the name of a marker are expected, "
				   "as in %%libc:setjmp");
	if (asprintf(&d->group, "%s%.*s", short_form && strncmp(d->text + at, "sdt_", 4) ? "sdt_" : "",
		     (int)colon, d->text + at) < 0) {
		d->group = NULL;
		return &error_no_memory;
	}
	d->event = strndup(d->text + at + colon + 1, len - colon - 1);
	if (!d->event)
		return &error_no_memory;
	d->at = at;
	d->is_sdt = true;
	return NULL;
}

/* Parse the first word. */
static struct error *definition_parse_probe(struct probe_definition *d, size_t at, size_t len)
{
	size_t equals = definition_find(d->text + at, definition_find(d->text + at, len, ";"), "=");
	struct error *err;

	if (d->text[at] == '%' || !strncmp(d->text + at, "sdt_", 4))
		if (d->text[at] == '%' || memchr(d->text + at, ':', len))
			return definition_parse_sdt(d, at, len);
	if (equals == definition_find(d->text + at, len, ";"))
		return definition_parse_place(d, at, len);
	err = definition_parse_name(d, at, equals);
	return err ? err : definition_parse_place(d, at + equals + 1, len - equals - 1);
}

static struct error *definition_add_arg(struct probe_definition *d, size_t at, size_t len)
{
	struct probe_arg arg = { .at = at };
	struct error *err;

	if (d->args.nr == DEFINITION_MAX_ARGS)
		return caret_error(d->text, at, "The kernel takes no more than %d arguments",
				   DEFINITION_MAX_ARGS);
	err = probe_arg_parse(d->text, at, len, &arg);
	if (!err && !array_push(&d->args, arg))
		err = &error_no_memory;
	if (err) {
		definition_free_arg(&arg);
		return err;
	}
	if (!d->is_return && arg.kind == PROBE_ARG_RETVAL)
		return caret_error(d->text, at, "$retval is known only where a function returns "
				   "(FUNC%%return)");
	if (d->is_return && arg.kind != PROBE_ARG_RETVAL && arg.kind != PROBE_ARG_RAW)
		return caret_error(d->text, at, "Variables are gone where a function returns; "
				   "$retval is its value");
	return NULL;
}

static struct error *definition_parse_words(struct probe_definition *d)
{
	size_t at = strspn(d->text, " \t\n"), len = strcspn(d->text + at, " \t\n");
	struct error *err;

	if (!len)
		return error_hint(error_new(EINVAL, "The definition of the probe is empty"),
				  "As in: ktrace probe 'vfs_read count'");
	err = definition_parse_probe(d, at, len);
	for (at += len; !err; at += len) {
		at += strspn(d->text + at, " \t\n");
		len = strcspn(d->text + at, " \t\n");
		if (!len)
			break;
		err = definition_add_arg(d, at, len);
	}
	return err;
}

/* Parse the arguments between parentheses, which commas separate. */
static struct error *definition_parse_list(struct probe_definition *d, size_t at, size_t end)
{
	struct error *err = NULL;
	size_t depth = 0;

	while (!err && at < end) {
		size_t start = at + strspn(d->text + at, " \t"), stop = start;

		for (; stop < end && (depth || d->text[stop] != ','); stop++)
			depth += (d->text[stop] == '(') - (d->text[stop] == ')' && depth);
		at = stop + 1;
		while (stop > start && isspace((unsigned char)d->text[stop - 1]))
			stop--;
		if (start < stop)
			err = definition_add_arg(d, start, stop - start);
		else
			err = caret_error(d->text, start, "An argument is missing");
	}
	return err;
}

static struct error *definition_parse_call(struct probe_definition *d)
{
	size_t at = strspn(d->text, " \t\n"), len = strcspn(d->text + at, "( \t\n");
	size_t open = at + len, end;
	struct error *err;

	err = definition_parse_probe(d, at, len);
	if (err)
		return err;
	open += strspn(d->text + open, " \t\n");
	if (!d->text[open])
		return NULL;
	end = strlen(d->text);
	while (end > open && isspace((unsigned char)d->text[end - 1]))
		end--;
	if (d->text[open] != '(')
		return caret_error(d->text, open, "Arguments are written in parentheses, as in "
				   "walk(n, depth)");
	if (d->text[end - 1] != ')' || end - 1 == open)
		return caret_error(d->text, end, "')' is missing");
	if (strspn(d->text + open + 1, " \t") == end - open - 2)
		return NULL;
	return definition_parse_list(d, open + 1, end - 1);
}

static struct error *definition_parse_by(const char *text,
					 struct error *(*parse)(struct probe_definition *),
					 struct probe_definition *ret)
{
	_cleanup_(probe_definition) struct probe_definition d = { .text = strdup(text) };
	struct error *err;

	if (!d.text)
		return &error_no_memory;
	err = parse(&d);
	if (err)
		return err;
	*ret = d;
	d = (struct probe_definition){ 0 };
	return NULL;
}

struct error *probe_definition_parse(const char *text, struct probe_definition *ret)
{
	return definition_parse_by(text, definition_parse_words, ret);
}

struct error *probe_definition_parse_call(const char *text, struct probe_definition *ret)
{
	return definition_parse_by(text, definition_parse_call, ret);
}

void probe_definition_add_place(const struct probe_definition *d, struct strbuf *out)
{
	if (d->is_sdt)
		strbuf_addf(out, "%%%s:%s", d->group, d->event);
	if (d->function)
		strbuf_addstr(out, d->function);
	if (d->offset)
		strbuf_addf(out, "+%llu", (unsigned long long)d->offset);
	else if (d->is_return)
		strbuf_addstr(out, "%return");
	else if (d->has_line && d->function)
		strbuf_addf(out, ":%u", d->line);
	if (d->file)
		strbuf_addf(out, "@%s", d->file);
	if (d->has_line && !d->function)
		strbuf_addf(out, ":%u", d->line);
	if (d->pattern)
		strbuf_addf(out, ";%s", d->pattern);
}

bool probe_definition_has_variables(const struct probe_definition *d)
{
	for (size_t i = 0; i < d->args.nr; i++) {
		const struct probe_arg *arg = &d->args.items[i];

		if (arg->kind != PROBE_ARG_RAW &&
		    (arg->kind != PROBE_ARG_RETVAL || arg->fields.nr))
			return true;
	}
	return false;
}
