// SPDX-License-Identifier: GPL-2.0
#include "probe/argument.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "spec/caret.h"
#include "terminal/word_list.h"

#define ARGUMENT_MAX_FIELDS 64

/* The keywords that may follow '$', without numbers. */
static const char *const dollar_words[] = {
	"retval", "stack", "comm", "arg", "vars", "params",
};

static const char *const type_words[] = {
	"s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "x8", "x16", "x32", "x64",
	"s", "u", "x", "char", "string", "ustring", "symbol", "symstr",
};

static size_t argument_name_length(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && (isalnum((unsigned char)text[n]) || text[n] == '_'))
		n++;
	return n && isdigit((unsigned char)*text) ? 0 : n;
}

/* Whether it is "bWIDTH@OFFSET/SIZE". */
static bool argument_is_bitfield(const char *type)
{
	unsigned int width, offset, size;
	int end = 0;

	if (sscanf(type, "b%2u@%2u/%2u%n", &width, &offset, &size, &end) != 3 || type[end])
		return false;
	return width && width + offset <= size &&
	       (size == 8 || size == 16 || size == 32 || size == 64);
}

static struct error *argument_check_type(const char *text, size_t at, const char *type)
{
	size_t len = strcspn(type, "[");
	_cleanup_free_ char *word = strndup(type, len);
	const char *near;
	int end = 0;
	unsigned int elements;

	if (!word)
		return &error_no_memory;
	if (argument_is_bitfield(type))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(type_words); i++)
		if (!strcmp(word, type_words[i]) &&
		    (!type[len] || (sscanf(type + len, "[%3u]%n", &elements, &end) == 1 && end &&
				    !type[len + end] && elements)))
			return NULL;
	near = word_nearest(WORDS(type_words), word);
	if (near)
		return caret_error(text, at, "'%s' is no type of an argument; did you mean '%s'?",
				   type, near);
	return caret_error(text, at, "'%s' is no type of an argument; there are s8 to s64, "
			   "u8 to u64, x8 to x64, char, string, ustring, symbol", type);
}

/* Split off ":TYPE" and then "@user"; *len becomes shorter. */
static struct error *argument_parse_end(const char *text, size_t at, size_t *len,
					struct probe_arg *arg)
{
	const char *start = text + at, *colon = memchr(start, ':', *len);

	/* A colon between quotes belongs to an immediate string. */
	if (colon && !memchr(start, '"', *len)) {
		size_t behind = colon + 1 - start;
		struct error *err;

		arg->type = strndup(colon + 1, *len - behind);
		if (!arg->type)
			return &error_no_memory;
		if (!*arg->type)
			return caret_error(text, at + behind, "A type is expected behind ':'");
		err = argument_check_type(text, at + behind, arg->type);
		if (err)
			return err;
		*len = behind - 1;
	}
	if (*len > 5 && !strncmp(start + *len - 5, "@user", 5)) {
		arg->user = true;
		*len -= 5;
	}
	return NULL;
}

static struct error *argument_parse_index(const char *text, size_t *at, size_t end,
					  struct probe_field *field)
{
	char digits[24] = "", *stop;
	size_t close = *at;

	while (close < end && text[close] != ']')
		close++;
	if (close < end && close - *at < sizeof(digits))
		memcpy(digits, text + *at, close - *at);
	field->index = strtol(digits, &stop, 0);
	if (!*digits || *stop || isspace((unsigned char)*digits) || field->index > INT32_MAX ||
	    field->index < INT32_MIN)
		return caret_error(text, *at, "A number and ']' are expected behind '['");
	*at = close + 1;
	return NULL;
}

static struct error *argument_parse_field(const char *text, size_t *at, size_t end,
					  struct probe_arg *arg)
{
	struct probe_field field = { .at = *at };
	struct error *err = NULL;
	size_t len;

	if (arg->fields.nr == ARGUMENT_MAX_FIELDS)
		return caret_error(text, *at, "The argument has more than %d parts",
				   ARGUMENT_MAX_FIELDS);
	if (text[*at] == '[') {
		++*at;
		err = argument_parse_index(text, at, end, &field);
		if (err)
			return err;
	} else if (text[*at] == '.' || (*at + 1 < end && !strncmp(text + *at, "->", 2))) {
		field.arrow = text[*at] == '-';
		*at += 1 + field.arrow;
		len = argument_name_length(text + *at, end - *at);
		if (!len)
			return caret_error(text, *at, "The name of a member is expected");
		field.at = *at;
		field.name = strndup(text + *at, len);
		if (!field.name)
			return &error_no_memory;
		*at += len;
	} else {
		return caret_error(text, *at, "'->', '.', '[' or ':' is expected here");
	}
	if (array_push(&arg->fields, field))
		return NULL;
	free(field.name);
	return &error_no_memory;
}

static struct error *argument_parse_variable(const char *text, size_t at, size_t len,
					     struct probe_arg *arg)
{
	size_t end = at + len, name = argument_name_length(text + at, len);
	struct error *err = NULL;

	arg->variable = strndup(text + at, name);
	if (!arg->variable)
		return &error_no_memory;
	for (at += name; !err && at < end; )
		err = argument_parse_field(text, &at, end, arg);
	return err;
}

/* Parse an argument that begins with '$'. */
static struct error *argument_parse_dollar(const char *text, size_t at, size_t len,
					   struct probe_arg *arg)
{
	size_t name = argument_name_length(text + at + 1, len - 1), letters = name;
	_cleanup_free_ char *word = NULL;
	const char *near = NULL;
	struct error *err = NULL;
	size_t i = 0;

	while (letters && isdigit((unsigned char)text[at + letters]))
		letters--;
	word = strndup(text + at + 1, letters);
	arg->variable = strndup(text + at, 1 + name);
	if (!word || !arg->variable)
		return &error_no_memory;
	while (i < ARRAY_SIZE(dollar_words) && strcmp(word, dollar_words[i]))
		i++;
	if (i == ARRAY_SIZE(dollar_words) || (!strcmp(word, "arg") && letters == name) ||
	    (letters < name && strcmp(word, "arg") && strcmp(word, "stack"))) {
		near = word_nearest(WORDS(dollar_words), word);
		return caret_error(text, at, "There is no $%.*s; did you mean $%s?", (int)name,
				   text + at + 1, near && strcmp(near, word) ? near : "vars");
	}
	arg->kind = !strcmp(word, "retval") ? PROBE_ARG_RETVAL :
		    !strcmp(word, "params") ? PROBE_ARG_PARAMS :
		    !strcmp(word, "vars") ? PROBE_ARG_VARS : PROBE_ARG_RAW;
	for (size_t next = at + 1 + name; !err && next < at + len; ) {
		if (arg->kind != PROBE_ARG_RETVAL)
			return caret_error(text, next, "Nothing but a type can follow $%s", word);
		err = argument_parse_field(text, &next, at + len, arg);
	}
	return err;
}

/* Parse an argument in the kernel's own syntax; only its form is checked. */
static struct error *argument_parse_raw(const char *text, size_t at, size_t len,
					struct probe_arg *arg)
{
	size_t depth = 0;

	arg->kind = PROBE_ARG_RAW;
	for (size_t i = at; i < at + len; i++) {
		depth += text[i] == '(';
		if (text[i] == ')' && !depth--)
			return caret_error(text, i, "There is no '(' for this ')'");
	}
	if (depth)
		return caret_error(text, at + len, "')' is missing");
	if (text[at] == '%' && argument_name_length(text + at + 1, len - 1) != len - 1)
		return caret_error(text, at + 1, "The name of a register is expected behind '%%'");
	arg->variable = strndup(text + at, len);
	return arg->variable ? NULL : &error_no_memory;
}

static struct error *argument_parse_value(const char *text, size_t at, size_t len,
					  struct probe_arg *arg)
{
	if (argument_name_length(text + at, len))
		return argument_parse_variable(text, at, len, arg);
	if (text[at] == '$')
		return argument_parse_dollar(text, at, len, arg);
	if (strchr("%@\\", text[at]) || (strchr("+-", text[at]) && memchr(text + at, '(', len)))
		return argument_parse_raw(text, at, len, arg);
	if (text[at] == '*')
		return caret_error(text, at, "The target of a pointer is written p[0] or "
				   "p->member");
	return caret_error(text, at, "A variable, %%REG, $retval, $stack, $comm, $vars, $params, "
			   "@SYM or +OFFS(ARG) is expected");
}

struct error *probe_arg_parse(const char *text, size_t at, size_t len, struct probe_arg *ret)
{
	size_t name = argument_name_length(text + at, len);
	struct error *err;

	if (len && text[at] == '=')
		return caret_error(text, at, "A name is expected in front of '='");
	if (name && name < len && text[at + name] == '=') {
		ret->name = strndup(text + at, name);
		if (!ret->name)
			return &error_no_memory;
		at += name + 1;
		len -= name + 1;
	}
	if (!len)
		return caret_error(text, at, "A variable is expected behind '='");
	ret->text = strndup(text + at, len);
	if (!ret->text)
		return &error_no_memory;
	err = argument_parse_end(text, at, &len, ret);
	if (!err && !len)
		err = caret_error(text, at, "A variable is expected in front of the type");
	return err ? err : argument_parse_value(text, at, len, ret);
}

void probe_arg_add_name(const struct probe_arg *arg, struct strbuf *out)
{
	size_t from = out->len;

	if (arg->name) {
		strbuf_addstr(out, arg->name);
		return;
	}
	for (size_t i = arg->fields.nr; i; i--)
		if (arg->fields.items[i - 1].name) {
			strbuf_addstr(out, arg->fields.items[i - 1].name);
			return;
		}
	strbuf_addstr(out, arg->variable + strspn(arg->variable, "$%@\\"));
	if (arg->type && !arg->fields.nr)
		strbuf_addf(out, "_%s", arg->type);
	for (size_t i = from; i < out->len; i++)
		if (!isalnum((unsigned char)out->data[i]))
			out->data[i] = '_';
}

struct error *probe_arg_add(const struct probe_arg *arg, const struct operand *operand,
			    const struct strbuf *type, struct probe_event *event)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT, value = STRBUF_INIT;

	probe_arg_add_name(arg, &name);
	operand_add(operand, &value);
	if (name.failed || value.failed || type->failed)
		return &error_no_memory;
	return probe_event_add_arg(event, name.data, value.data, type->len ? type->data : NULL);
}
