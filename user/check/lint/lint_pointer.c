// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "check/lint/lint.h"
#include "format/print_token.h"

/* Skip the words from a bracket to the one that closes it; returns the index behind it. */
static size_t skip_brackets(const struct subject *s, size_t i)
{
	int depth = 0;

	for (; i < s->words.nr; i++) {
		depth += subject_is_op(s, i, '(') || subject_is_op(s, i, '[');
		depth -= subject_is_op(s, i, ')') || subject_is_op(s, i, ']');
		if (depth <= 0)
			return i + 1;
	}
	return i;
}

/* Find the parenthesis that word @i closes. */
static size_t opening(const struct subject *s, size_t i)
{
	int depth = 0;

	for (;; i--) {
		depth += subject_is_op(s, i, ')');
		depth -= subject_is_op(s, i, '(');
		if (depth <= 0 || !i)
			return i;
	}
}

/* Whether this is a '*' without an operand before it: it follows a pointer. */
static bool is_star(const struct subject *s, size_t i)
{
	if (!subject_is_op(s, i, '*'))
		return false;
	return !i || s->words.items[i - 1].argument != s->words.items[i].argument ||
		(s->words.items[i - 1].kind == TOKEN_OPERATOR && !subject_is_op(s, i - 1, ')') &&
		 !subject_is_op(s, i - 1, ']') && !subject_is_op(s, i - 1, '*'));
}

static void find_followed(struct subject *s, const char *field, size_t place)
{
	find_at(s, RULE_POINTER_DEREFERENCE, field, place,
		"The print fmt dereferences the pointer %s", field);
}

/* Check for REC->p->x, REC->p[i] where p is a pointer, and *REC->p. */
static void check_mention(struct subject *s, size_t i)
{
	size_t at;
	_cleanup_free_ char *name = subject_mention(s, i, &at);
	const struct field *field;
	bool is_pointer;

	if (!name || !subject_is_name(s, i, "REC"))
		return;
	field = event_format_field(s->format, name);
	is_pointer = field && field->kind == FIELD_INTEGER;
	if (subject_is_op(s, at + 1, PRINT_OP('-', '>')) ||
	    (subject_is_op(s, at + 1, '[') && is_pointer))
		find_followed(s, name, s->words.items[at + 1].place);
	else if (is_pointer && i && is_star(s, i - 1))
		find_followed(s, name, s->words.items[i - 1].place);
}

/* Find a pointer of the record among the words from @begin to @end; NULL: none. */
static char *pointer_between(const struct subject *s, size_t begin, size_t end)
{
	char *found = NULL;

	for (size_t i = begin; i < end; i++) {
		const struct field *field;
		size_t at;
		char *name = subject_mention(s, i, &at);

		field = name ? event_format_field(s->format, name) : NULL;
		if (!found && field && subject_is_name(s, i, "REC") &&
		    field->kind == FIELD_INTEGER && (!i || !subject_is_op(s, i - 1, '&')))
			found = name;
		else
			free(name);
	}
	return found;
}

/*
 * Check for ((struct x *)REC->p)->y and *(u32 *)REC->p; for arrays in the record it is a
 * struct that is read.
 */
static void check_parentheses(struct subject *s, size_t i)
{
	bool is_arrow = subject_is_op(s, i, ')') &&
		subject_is_op(s, i + 1, PRINT_OP('-', '>'));
	bool is_followed = is_star(s, i) && subject_is_op(s, i + 1, '(');
	size_t begin, end;
	_cleanup_free_ char *name = NULL;

	if (!is_arrow && !is_followed)
		return;
	begin = is_arrow ? opening(s, i) : i + 1;
	end = is_arrow ? i : skip_brackets(s, i + 1);
	/* (REC)->field is the same as REC->field. */
	if (is_arrow && end == begin + 2 && subject_is_name(s, begin + 1, "REC"))
		return;
	if (is_followed && subject_is_name(s, end, "REC"))
		end = end + 3 < s->words.nr ? end + 3 : s->words.nr;
	name = pointer_between(s, begin, end);
	if (name)
		find_followed(s, name, s->words.items[is_arrow ? i + 1 : i].place);
	else if (is_arrow && !s->result->met[RULE_STRUCT_MEMBER])
		find_at(s, RULE_STRUCT_MEMBER, NULL, s->words.items[i + 1].place,
			"The print fmt takes bytes of the record for a struct");
}

void lint_pointer(struct subject *s)
{
	for (size_t i = 0; i < s->words.nr; i++) {
		check_mention(s, i);
		check_parentheses(s, i);
	}
}
