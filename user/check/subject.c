// SPDX-License-Identifier: GPL-2.0
#include "check/subject.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/format_text.h"
#include "format/print_token.h"
#include "lib/array.h"
#include "lib/strbuf.h"

/* The print fmt's string without its quotes, and the offset of each of its bytes. */
struct format_string {
	struct strbuf text;
	ARRAY_OF(size_t) places;
};

static bool take_strings(struct subject *s, struct print_tokens *tokens,
			 struct format_string *string)
{
	while (tokens->kind == TOKEN_STRING) {
		for (const char *p = tokens->start + 1; p < tokens->p - 1; p++) {
			strbuf_addch(&string->text, *p);
			if (!array_push(&string->places, (size_t)(p - s->text)))
				return false;
		}
		if (!print_token_next(tokens)) {
			s->is_torn = true;
			return true;
		}
	}
	return !string->text.failed;
}

/* Parse the text behind "%", and move @p behind it. */
static void take_conversion(const char **p, struct conversion *c)
{
	c->precision = -1;
	while (**p && strchr("-+ #0'", **p))
		++*p;
	if (**p == '*') {
		c->star_width = true;
		++*p;
	}
	*p += strspn(*p, "0123456789");
	if (**p == '.') {
		++*p;
		if (**p == '*') {
			c->star_precision = true;
			++*p;
		} else {
			c->precision = strtoul(*p, (char **)p, 10);
		}
	}
	for (; **p && strchr("hlLzZjt", **p); ++*p) {
		c->longs += **p == 'l' ? 1 : **p == 'L' ? 2 : **p == 'h' ? -1 : 0;
		c->is_size |= strchr("zZjt", **p) != NULL;
	}
	c->letter = **p;
	if (!**p)
		return;
	++*p;
	if (c->letter != 'p')
		return;
	c->extension = *p;
	while (isalnum((unsigned char)**p))
		++*p;
	c->extension_len = *p - c->extension;
}

static bool take_conversions(struct subject *s, const struct format_string *string)
{
	const char *text = strbuf_str(&string->text), *p = text;

	while ((p = strchr(p, '%'))) {
		size_t at = p++ - text;
		struct conversion c = { .place = string->places.items[at] };

		take_conversion(&p, &c);
		if (c.letter == '%')
			continue;
		c.len = string->places.items[p - text - 1] + 1 - c.place;
		/* The string will be freed; the text of the file remains. */
		if (c.extension)
			c.extension = s->text + string->places.items[p - text - 1] + 1 -
				c.extension_len;
		c.value = s->nr_values + c.star_width + c.star_precision;
		s->nr_values = c.value + 1;
		if (!array_push(&s->conversions, c))
			return false;
	}
	return true;
}

/* Parse an argument alone, as the print fmt `"", ARGUMENT`. */
static bool parse_argument(struct subject *s, struct argument *a)
{
	static const char before[] = "\"\", ";
	_cleanup_(strbuf) struct strbuf alone = STRBUF_INIT;
	size_t failed;

	strbuf_addstr(&alone, before);
	strbuf_add(&alone, s->text + a->place, a->len);
	if (alone.failed)
		return false;
	a->tree = print_tree_parse_at(alone.data, &failed);
	if (a->tree)
		a->node = a->tree->args;
	else
		a->failed = failed < sizeof(before) - 1 ? a->place :
			    a->place + failed - (sizeof(before) - 1);
	return true;
}

static bool end_argument(struct subject *s, struct argument *a, size_t end)
{
	while (end > a->place && isspace((unsigned char)s->text[end - 1]))
		end--;
	a->len = end - a->place;
	return parse_argument(s, a) && array_push(&s->arguments, *a);
}

/* Add all words up to the end; commas outside of all parentheses separate the arguments. */
static bool take_arguments(struct subject *s, struct print_tokens *tokens)
{
	struct argument a = { 0 };
	int depth = 0;

	if (!print_token_is_op(tokens, ',')) {
		s->is_torn |= tokens->kind != TOKEN_END;
		return true;
	}
	for (bool begins = true; tokens->kind != TOKEN_END; begins = false) {
		size_t place = tokens->start - s->text;

		if (print_token_is_op(tokens, ',') && depth == 0) {
			if (!begins && !end_argument(s, &a, place))
				return false;
			if (!print_token_next(tokens)) {
				s->is_torn = true;
				break;
			}
			a = (struct argument){ .place = tokens->start - s->text };
			continue;
		}
		if (tokens->kind == TOKEN_OPERATOR && tokens->op < 128) {
			depth += strchr("([{", tokens->op) != NULL;
			depth -= strchr(")]}", tokens->op) != NULL;
		}
		if (!array_push(&s->words, ((struct word){ place, tokens->p - tokens->start,
							   tokens->kind, tokens->op,
							   s->arguments.nr })))
			return false;
		if (!print_token_next(tokens)) {
			s->is_torn = true;
			break;
		}
	}
	s->is_torn |= depth != 0;
	return end_argument(s, &a, tokens->start - s->text);
}

static bool take_print_fmt(struct subject *s)
{
	struct print_tokens tokens = { .p = s->text + s->print_fmt };
	struct format_string string = { .text = STRBUF_INIT };
	bool ok = true;

	if (!print_token_next(&tokens) || tokens.kind != TOKEN_STRING)
		s->is_torn = true;
	else
		ok = take_strings(s, &tokens, &string) && take_conversions(s, &string) &&
			(s->is_torn || take_arguments(s, &tokens));
	strbuf_deinit(&string.text);
	free(string.places.items);
	return ok;
}

static bool subject_is_probe(const struct result *result)
{
	return strstr(result->text, "\tfield:unsigned long __probe_");
}

bool subject_is_generated(const struct result *result)
{
	return !strcmp(result->system, "syscalls") || !strcmp(result->system, "synthetic") ||
		subject_is_probe(result);
}

struct error *subject_init(struct subject *s, struct results *results, struct result *result)
{
	const char *print_fmt;
	struct error *err;
	uint64_t id;

	*s = (struct subject){
		.results = results, .result = result, .text = result->text,
		.is_generated = subject_is_generated(result), .is_probe = subject_is_probe(result),
	};
	err = formats_create(&s->formats);
	if (err)
		return err;
	err = formats_add(s->formats, result->system, s->text, strlen(s->text));
	if (err && err->code == EINVAL) {
		finding_add(results, result, RULE_FORMAT_DAMAGED, NULL, NO_PLACE, "%s",
			    err->message);
		error_free(err);
		return NULL;
	}
	if (err)
		return err;
	if (!format_text_is_sound(s->text, &id, &print_fmt))
		return NULL;
	s->format = formats_at(s->formats, 0);
	s->print_fmt = print_fmt - s->text;
	return take_print_fmt(s) ? NULL : &error_no_memory;
}

void subject_deinit(struct subject *s)
{
	for (size_t i = 0; i < s->arguments.nr; i++)
		print_tree_destroy(s->arguments.items[i].tree);
	free(s->arguments.items);
	free(s->conversions.items);
	free(s->words.items);
	formats_destroy(s->formats);
}

const struct argument *subject_argument(const struct subject *s, const struct conversion *c)
{
	return c->value < s->arguments.nr ? &s->arguments.items[c->value] : NULL;
}

bool subject_is_op(const struct subject *s, size_t index, int op)
{
	return index < s->words.nr && s->words.items[index].kind == TOKEN_OPERATOR &&
		s->words.items[index].op == op;
}

bool subject_is_name(const struct subject *s, size_t index, const char *name)
{
	const struct word *w = &s->words.items[index];

	return index < s->words.nr && w->kind == TOKEN_NAME && strlen(name) == w->len &&
		!memcmp(s->text + w->place, name, w->len);
}

static bool subject_is_accessor(const char *word, size_t len)
{
	static const char *const accessors[] = {
		"__get_str", "__get_rel_str", "__get_bitmask", "__get_rel_bitmask",
		"__get_cpumask", "__get_rel_cpumask", "__get_dynamic_array",
		"__get_rel_dynamic_array", "__get_dynamic_array_len",
		"__get_rel_dynamic_array_len", "__get_sockaddr", "__get_rel_sockaddr",
	};

	for (size_t i = 0; i < ARRAY_SIZE(accessors); i++)
		if (strlen(accessors[i]) == len && !memcmp(accessors[i], word, len))
			return true;
	return false;
}

char *subject_mention(const struct subject *s, size_t index, size_t *ret_at)
{
	const struct word *w = &s->words.items[index];
	bool mentions = subject_is_name(s, index, "REC") ?
		subject_is_op(s, index + 1, PRINT_OP('-', '>')) :
		w->kind == TOKEN_NAME && subject_is_accessor(s->text + w->place, w->len) &&
		subject_is_op(s, index + 1, '(');

	if (!mentions || index + 2 >= s->words.nr || w[2].kind != TOKEN_NAME)
		return NULL;
	*ret_at = index + 2;
	return strndup(s->text + w[2].place, w[2].len);
}

size_t subject_declaration(const struct subject *s, const struct field *field)
{
	char ending[48];
	const char *at;

	/* The offset distinguishes fields of the same name. */
	snprintf(ending, sizeof(ending), ";\toffset:%u;\tsize:%u;", field->offset, field->size);
	for (at = strstr(s->text, ending); at; at = strstr(at + 1, ending)) {
		const char *name = at;

		while (name > s->text && name[-1] != '\n' && name[-1] != ' ' && name[-1] != '\t')
			name--;
		if (!strncmp(name, field->name, strlen(field->name)))
			return name - s->text;
	}
	return NO_PLACE;
}
