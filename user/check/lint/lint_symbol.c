// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/lint/lint.h"
#include "format/print_token.h"
#include "lib/array.h"
#include "lib/strbuf.h"

/* Whether a word is part of a type, and so has no value. */
static bool is_type_word(const char *word, size_t len)
{
	static const char *const words[] = {
		"unsigned", "signed", "int", "long", "short", "char", "void", "struct", "union",
		"enum", "const", "volatile", "bool", "_Bool", "NULL", "REC", "sizeof", "typeof",
		"__typeof__", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == len && !memcmp(words[i], word, len))
			return true;
	return len > 2 && !memcmp(word + len - 2, "_t", 2);
}

/*
 * Whether word @i is in a cast: the parentheses around it hold only types, and an operand
 * follows.
 */
static bool is_in_cast(const struct subject *s, size_t i)
{
	size_t begin = i, end = i;

	while (begin && (s->words.items[begin - 1].kind == TOKEN_NAME ||
			 subject_is_op(s, begin - 1, '*')))
		begin--;
	while (s->words.items[end].kind == TOKEN_NAME || subject_is_op(s, end, '*'))
		if (++end == s->words.nr)
			return false;
	if (!begin || !subject_is_op(s, begin - 1, '(') || !subject_is_op(s, end, ')'))
		return false;
	if (begin > 1 && s->words.items[begin - 2].kind == TOKEN_NAME)
		return true;	/* sizeof(type), an accessor, a call */
	return end + 1 < s->words.nr && (s->words.items[end + 1].kind != TOKEN_OPERATOR ||
					 subject_is_op(s, end + 1, '('));
}

static bool is_value_name(const struct subject *s, size_t i)
{
	const struct word *w = &s->words.items[i];
	const char *name = s->text + w->place;

	if (w->kind != TOKEN_NAME || is_type_word(name, w->len) ||
	    print_tree_knows_macro(name, w->len) || subject_is_op(s, i + 1, '('))
		return false;
	if (i && (subject_is_op(s, i - 1, PRINT_OP('-', '>')) || subject_is_op(s, i - 1, '.')))
		return false;
	/* "struct name", "enum name" */
	if (i && s->words.items[i - 1].kind == TOKEN_NAME && !subject_is_name(s, i - 1, "REC"))
		return false;
	return !is_in_cast(s, i);
}

/* Whether an argument is a statement expression, which may declare names of its own. */
static bool has_statements(const struct subject *s, size_t argument)
{
	for (size_t i = 0; i + 1 < s->words.nr; i++)
		if (s->words.items[i].argument == argument && subject_is_op(s, i, '(') &&
		    subject_is_op(s, i + 1, '{'))
			return true;
	return false;
}

/* How many names are shown of a long list. */
#define NAMES_SHOWN 4

/* Add one finding per argument, however many unresolved names it has; false: it has none. */
static bool find_unresolved(struct subject *s, size_t argument)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	const struct word *first = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < s->words.nr; i++) {
		const struct word *w = &s->words.items[i];

		if (w->argument != argument || !is_value_name(s, i) ||
		    has_statements(s, argument))
			continue;
		if (!first)
			first = w;
		if (nr++ < NAMES_SHOWN)
			strbuf_addf(&names, "%s%.*s", nr > 1 ? ", " : "", (int)w->len,
				    s->text + w->place);
	}
	if (!first)
		return false;
	if (nr > NAMES_SHOWN)
		strbuf_addf(&names, " and %zu more", nr - NAMES_SHOWN);
	find_at(s, RULE_ENUM_UNRESOLVED, NULL, first->place,
		"Only the kernel knows the value%s of %s", nr > 1 ? "s" : "",
		strbuf_str(&names));
	return true;
}

static void find_hidden(struct subject *s, const struct argument *a, const struct print_name *name,
			const struct print_name *by)
{
	if (!strcmp(name->text, by->text))
		return;
	find_at(s, RULE_NAME_UNREACHABLE, NULL, a->place,
		"\"%s\" (%#llx) is never shown: \"%s\" (%#llx) comes before it", name->text,
		(unsigned long long)name->value, by->text, (unsigned long long)by->value);
}

static bool hides(const struct print_node *node, const struct print_name *first,
		  const struct print_name *name)
{
	if (!first->is_number || !name->is_number)
		return false;
	if (node->kind == PRINT_SYMBOL)
		return first->value == name->value;
	/* Flags that were shown are removed from the value. */
	return first->value && (first->value & name->value) == first->value;
}

static bool is_end_mark(const struct print_name *name)
{
	/* "{ -1, NULL }", which the kernel adds by itself, but authors do, too. */
	return !strcmp(name->text, "0");
}

/* Find rows of values that @field cannot have, as its type is narrower. */
static void find_out_of_range(struct subject *s, const struct argument *a,
			      const struct print_node *node, const struct field *field)
{
	const struct print_name *first = NULL;
	int64_t least = 0, most;
	char more[40] = " is";
	size_t nr = 0;

	if (!field || field->kind != FIELD_INTEGER || field->size > 4 || field->is_pointer)
		return;
	most = (1LL << (8 * field->size)) - 1;
	/* A negative value has all bits of a mask above its own ones. */
	if (field->is_signed) {
		least = node->kind == PRINT_SYMBOL ? -(most / 2) - 1 : INT64_MIN;
		most = node->kind == PRINT_SYMBOL ? most / 2 : most;
	}
	for (const struct print_name *n = node->names; n; n = n->next) {
		if (!n->is_number || n->is_guess || is_end_mark(n) ||
		    (n->value >= least && n->value <= most))
			continue;
		first = first ? first : n;
		nr++;
	}
	if (!nr)
		return;
	if (nr > 1)
		snprintf(more, sizeof(more), " and %zu more are", nr - 1);
	find_at(s, RULE_NAME_OUT_OF_RANGE, field->name, a->place,
		"\"%s\" (%#llx)%s never shown: %s has %u byte%s and %s sign", first->text,
		(unsigned long long)first->value, more, field->name, field->size,
		field->size == 1 ? "" : "s", field->is_signed ? "a" : "no");
}

static void find_zero_flags(struct subject *s, const struct argument *a,
			    const struct print_node *node)
{
	for (const struct print_name *n = node->names; n; n = n->next)
		if (n->is_number && !n->value && !is_end_mark(n))
			find_at(s, RULE_FLAG_ZERO, NULL, a->place,
				"The kernel shows \"%s\" (0) of values that are not 0, and not of 0",
				n->text);
}

static void check_tables(struct subject *s, const struct argument *a,
			 const struct print_node *node)
{
	if (!node)
		return;
	if (node->kind == PRINT_SYMBOL || node->kind == PRINT_FLAGS) {
		if (node->kind == PRINT_FLAGS)
			find_zero_flags(s, a, node);
		if (node->a && node->a->kind == PRINT_FIELD)
			find_out_of_range(s, a, node, event_format_field(s->format, node->a->text));
		for (const struct print_name *n = node->names; n; n = n->next) {
			for (const struct print_name *first = node->names; first != n;
			     first = first->next) {
				if (!hides(node, first, n))
					continue;
				find_hidden(s, a, n, first);
				break;
			}
		}
	}
	check_tables(s, a, node->a);
	check_tables(s, a, node->b);
	check_tables(s, a, node->c);
}

void lint_symbol(struct subject *s)
{
	for (size_t i = 0; i < s->arguments.nr; i++)
		if (!find_unresolved(s, i))
			check_tables(s, &s->arguments.items[i], s->arguments.items[i].node);
}
