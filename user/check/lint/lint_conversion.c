// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "check/lint/lint.h"
#include "check/lint/value_type.h"

/* A conversion and the value that it shows. */
struct shown {
	struct subject *s;
	const struct conversion *c;
	const struct argument *a;
	struct value_type type;
};

#define LENGTH_AND_TEXT(s, of) (int)(of)->len, (s)->text + (of)->place

static const char *field_name(const struct shown *shown)
{
	return shown->type.field ? shown->type.field->name : NULL;
}

/* Whether an array is known to end with a NUL: the kernel's task names do. */
static bool is_task_name(const struct field *field)
{
	return field->kind == FIELD_STRING && field->size == 16 && strstr(field->name, "comm");
}

static void check_terminated(const struct shown *shown, const struct field *field)
{
	struct subject *s = shown->s;

	if (!field || shown->c->star_precision || is_task_name(field))
		return;
	if (shown->c->precision >= 0 && (uint32_t)shown->c->precision <= field->size)
		return;
	find_at(s, RULE_STRING_UNTERMINATED, field->name, shown->c->place,
		"%.*s prints %s %s until it meets a NUL", LENGTH_AND_TEXT(s, shown->c),
		field->type, field->name);
	if (field->kind == FIELD_STRING)
		finding_instead(s->result, RULE_STRING_UNTERMINATED,
				"\"%%.*s\", %u, __entry->%s; or __string(), if its writer does "
				"not end it by strscpy()", field->size, field->name);
}

/* Check %s of one value.  Both branches of a condition are checked as values. */
static void check_text(struct shown *shown, const struct print_node *node)
{
	struct subject *s = shown->s;

	if (node->kind == PRINT_OPERATION && node->op == '?' && node->b->op == ':') {
		check_text(shown, node->b->a);
		check_text(shown, node->b->b);
		return;
	}
	/* A literal has lost its quotes by now, and a name has no type. */
	if (node->kind == PRINT_ATOM)
		return;
	shown->type = value_type_of(s, node);
	switch (shown->type.kind) {
	case VALUE_NUMBER:
		find_at(s, RULE_CONVERSION_TYPE, field_name(shown), shown->c->place,
			"%.*s shows the number %.*s", LENGTH_AND_TEXT(s, shown->c),
			LENGTH_AND_TEXT(s, shown->a));
		break;
	case VALUE_POINTER:
		find_at(s, RULE_STRING_POINTER, field_name(shown), shown->a->place,
			"%.*s goes to the memory %.*s points to", LENGTH_AND_TEXT(s, shown->c),
			LENGTH_AND_TEXT(s, shown->a));
		break;
	case VALUE_ARRAY:
		check_terminated(shown, shown->type.field);
		break;
	default:
		break;
	}
}

static uint32_t conversion_size(const struct conversion *c)
{
	if (c->is_size || c->longs == 1)
		return sizeof(long);
	return c->longs >= 2 ? 8 : 4;
}

static void check_width(const struct shown *shown)
{
	const struct conversion *c = shown->c;
	struct subject *s = shown->s;
	uint32_t size = conversion_size(c);
	const struct field *field = shown->type.field;

	if (c->longs < 0 && field && field->kind == FIELD_INTEGER &&
	    field->size > (c->longs == -1 ? 2 : 1)) {
		find_at(s, RULE_CONVERSION_WIDTH, field->name, c->place,
			"%.*s shows the lowest bits of %s alone, which has %u bytes",
			LENGTH_AND_TEXT(s, c), field->name, field->size);
		return;
	}
	/* A constant for %z is a sizeof. */
	if (shown->type.size == size || (c->is_size && shown->a->node->kind == PRINT_ATOM))
		return;
	find_at(s, RULE_CONVERSION_WIDTH, field_name(shown), c->place,
		"%.*s is for %u bytes, %.*s has %u", LENGTH_AND_TEXT(s, c), size,
		LENGTH_AND_TEXT(s, shown->a), shown->type.size);
	finding_instead(s->result, RULE_CONVERSION_WIDTH, "%%%s%c", size == 8 ? "" : "ll",
			c->letter);
}

static void check_sign(const struct shown *shown)
{
	const struct value_type *type = &shown->type;
	const struct conversion *c = shown->c;
	struct subject *s = shown->s;
	bool as_signed = c->letter == 'd' || c->letter == 'i';

	/*
	 * Constants in expressions count as signed, and authors choose the types of
	 * expressions, so only fields are checked.
	 */
	if (!type->field || !type->sign_known || type->is_char)
		return;
	if (type->is_narrow && !as_signed && c->longs >= 0) {
		find_at(s, RULE_CONVERSION_SIGN, type->field->name, c->place,
			"%.*s shows a negative %s %s as a number of 32 bits",
			LENGTH_AND_TEXT(s, c), type->field->type, type->field->name);
		finding_instead(s->result, RULE_CONVERSION_SIGN, "%s",
				c->letter == 'u' ? "%d" : type->field->size == 1 ? "%hhx" : "%hx");
		return;
	}
	if (c->letter != 'u' && !as_signed)
		return;
	/* A field smaller than an int becomes an int that is never negative. */
	if (type->field->size < 4 || type->is_signed == as_signed)
		return;
	find_at(s, RULE_CONVERSION_SIGN, type->field->name, c->place,
		"%.*s shows the %s %.*s", LENGTH_AND_TEXT(s, c),
		type->is_signed ? "signed" : "unsigned", LENGTH_AND_TEXT(s, shown->a));
}

static void check_number(const struct shown *shown)
{
	const struct value_type *type = &shown->type;
	struct subject *s = shown->s;

	switch (type->kind) {
	case VALUE_TEXT:
		find_at(s, RULE_CONVERSION_TYPE, field_name(shown), shown->c->place,
			"%.*s shows the text %.*s", LENGTH_AND_TEXT(s, shown->c),
			LENGTH_AND_TEXT(s, shown->a));
		break;
	case VALUE_POINTER:
		find_at(s, RULE_CONVERSION_TYPE, field_name(shown), shown->c->place,
			"%.*s shows the pointer %.*s", LENGTH_AND_TEXT(s, shown->c),
			LENGTH_AND_TEXT(s, shown->a));
		finding_instead(s->result, RULE_CONVERSION_TYPE, "%%p, which hides the kernel's "
				"addresses");
		break;
	case VALUE_ARRAY:
		find_at(s, RULE_POINTER_TO_RECORD, field_name(shown), shown->c->place,
			"%.*s shows the address of %.*s in the trace buffer",
			LENGTH_AND_TEXT(s, shown->c), LENGTH_AND_TEXT(s, shown->a));
		break;
	case VALUE_NUMBER:
		if (type->is_char)
			find_at(s, RULE_CHAR_AS_NUMBER, type->field->name, shown->c->place,
				"%.*s shows the char %s", LENGTH_AND_TEXT(s, shown->c),
				type->field->name);
		check_width(shown);
		check_sign(shown);
		break;
	default:
		break;
	}
}

/* Whether ktrace and perf can print the bytes, which must be in the record. */
static bool is_evaluated(const struct shown *shown)
{
	const char *letters = shown->c->extension;

	if (!strchr("MmUIi", *letters))
		return false;
	return shown->a->node->kind == PRINT_FIELD;
}

static void check_extension(const struct shown *shown)
{
	const struct conversion *c = shown->c;
	struct subject *s = shown->s;

	/* These print symbols, or depend on the value alone. */
	if (strchr("SsBKex", *c->extension)) {
		if (*c->extension == 'x' && shown->type.kind == VALUE_POINTER)
			find_at(s, RULE_UNHASHED_POINTER, field_name(shown), c->place,
				"%.*s shows the address %.*s", LENGTH_AND_TEXT(s, c),
				LENGTH_AND_TEXT(s, shown->a));
		return;
	}
	if (shown->type.kind == VALUE_POINTER)
		find_at(s, RULE_POINTER_EXTENSION, field_name(shown), c->place,
			"%.*s reads the memory %.*s points to", LENGTH_AND_TEXT(s, c),
			LENGTH_AND_TEXT(s, shown->a));
	else if (shown->type.kind == VALUE_ARRAY && !is_evaluated(shown))
		find_at(s, RULE_EXTENSION_UNEVALUATED, field_name(shown), c->place,
			"Only the kernel can apply %.*s to %.*s", LENGTH_AND_TEXT(s, c),
			LENGTH_AND_TEXT(s, shown->a));
}

static void check_pointer(const struct shown *shown)
{
	struct subject *s = shown->s;

	if (shown->c->extension_len) {
		check_extension(shown);
		return;
	}
	if (shown->type.kind == VALUE_ARRAY)
		find_at(s, RULE_POINTER_TO_RECORD, field_name(shown), shown->c->place,
			"%.*s shows the address of %.*s in the trace buffer",
			LENGTH_AND_TEXT(s, shown->c), LENGTH_AND_TEXT(s, shown->a));
	if (shown->type.kind == VALUE_TEXT)
		find_at(s, RULE_CONVERSION_TYPE, field_name(shown), shown->c->place,
			"%.*s shows the text %.*s", LENGTH_AND_TEXT(s, shown->c),
			LENGTH_AND_TEXT(s, shown->a));
}

static void check_conversion(struct subject *s, const struct conversion *c)
{
	struct shown shown = { .s = s, .c = c, .a = subject_argument(s, c) };

	if (!c->letter || !strchr("diuxXops", c->letter)) {
		for (const struct conversion *d = s->conversions.items; d < c; d++)
			if (d->letter == c->letter)
				return;
		find_at(s, RULE_CONVERSION_UNSUPPORTED, NULL, c->place,
			"perf and ktrace do not know %.*s", LENGTH_AND_TEXT(s, c));
		if (c->letter == 'c')
			finding_instead(s->result, RULE_CONVERSION_UNSUPPORTED,
					"__print_symbolic() for a choice of letters, %%d else");
		return;
	}
	if (!shown.a || !shown.a->node)
		return;
	shown.type = value_type_of(s, shown.a->node);
	switch (c->letter) {
	case 's':
		check_text(&shown, shown.a->node);
		break;
	case 'p':
		check_pointer(&shown);
		break;
	default:
		check_number(&shown);
		break;
	}
}

void lint_conversion(struct subject *s)
{
	for (size_t i = 0; i < s->conversions.nr; i++)
		check_conversion(s, &s->conversions.items[i]);
}
