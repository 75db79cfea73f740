// SPDX-License-Identifier: GPL-2.0
#include "check/lint/value_type.h"

#include <stdlib.h>
#include <string.h>

#include "format/print_token.h"

static const struct value_type plain_int = {
	.kind = VALUE_NUMBER, .size = 4, .is_signed = true, .sign_known = true,
};

static struct value_type number_type(uint32_t size, bool is_signed)
{
	if (size < 4)
		return (struct value_type){
			.kind = VALUE_NUMBER, .size = 4, .is_signed = true, .sign_known = true,
			.is_narrow = is_signed,
		};
	return (struct value_type){
		.kind = VALUE_NUMBER, .size = size, .is_signed = is_signed, .sign_known = true,
	};
}

static struct value_type of_field(const struct subject *s, const char *name)
{
	const struct field *field = event_format_field(s->format, name);
	struct value_type type = { .field = field };

	if (!field)
		return type;
	if (field->kind >= FIELD_DYNAMIC_STRING)
		return type;
	if (field->kind != FIELD_INTEGER) {
		type.kind = strchr(field->type, '[') || field->kind == FIELD_STRING ?
			VALUE_ARRAY : VALUE_UNKNOWN;
		return type;
	}
	if (field->is_pointer || strchr(field->type, '*')) {
		type.kind = VALUE_POINTER;
		type.size = field->size;
		return type;
	}
	/* This is a struct that has the size of a number. */
	if (!strncmp(field->type, "struct ", 7) || !strncmp(field->type, "union ", 6))
		return type;
	type = number_type(field->size, field->is_signed);
	type.is_char = !strcmp(field->type, "char");
	type.field = field;
	return type;
}

static bool has_word(const char *type, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strstr(type, word); at; at = strstr(at + 1, word))
		if ((at == type || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

/* Find the size and sign of a type from its words; false: it is an unknown typedef. */
static bool find_type(const char *text, unsigned int long_size, uint32_t *size, bool *is_signed)
{
	static const struct {
		const char *name;
		uint32_t size;
		bool is_signed;
	} types[] = {
		{ "u8", 1, false }, { "u16", 2, false }, { "u32", 4, false }, { "u64", 8, false },
		{ "s8", 1, true }, { "s16", 2, true }, { "s32", 4, true }, { "s64", 8, true },
		{ "bool", 1, false }, { "_Bool", 1, false }, { "pid_t", 4, true },
		{ "gfp_t", 4, false }, { "dev_t", 4, false },
		{ "uint8_t", 1, false }, { "uint16_t", 2, false }, { "uint32_t", 4, false },
		{ "uint64_t", 8, false }, { "int8_t", 1, true }, { "int16_t", 2, true },
		{ "int32_t", 4, true }, { "int64_t", 8, true },
	};

	if (!strncmp(text, "__", 2) && strlen(text) <= 5)
		text += 2;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!strcmp(types[i].name, text)) {
			*size = types[i].size;
			*is_signed = types[i].is_signed;
			return true;
		}
	}
	*is_signed = !has_word(text, "unsigned");
	if (has_word(text, "long"))
		*size = strstr(text, "long long") ? 8 : long_size;
	else if (has_word(text, "short"))
		*size = 2;
	else if (has_word(text, "char"))
		*size = 1;
	else if (has_word(text, "int") || !strcmp(text, "unsigned") || !strcmp(text, "signed"))
		*size = 4;
	else if (!strcmp(text, "size_t") || !strcmp(text, "uintptr_t")) {
		*size = long_size;
		*is_signed = false;
	} else {
		return false;
	}
	return true;
}

static struct value_type of_cast(const struct subject *s, const struct print_node *node)
{
	struct value_type of = value_type_of(s, node->a), type = { 0 };
	bool is_signed;
	uint32_t size;

	if (strchr(node->text, '*')) {
		if (of.kind == VALUE_ARRAY || of.kind == VALUE_TEXT)
			return of;
		/* This is NULL. */
		if (node->a->kind == PRINT_ATOM && !strcmp(node->a->text, "0"))
			return type;
		type.kind = VALUE_POINTER;
		type.field = of.field;
		return type;
	}
	if (!find_type(node->text, sizeof(long), &size, &is_signed)) {
		/* "(enum x)" and typedefs. */
		type.kind = VALUE_UNKNOWN;
		return type;
	}
	type = number_type(size, is_signed);
	/* With a cast, the author has chosen the type. */
	type.is_narrow = false;
	type.field = of.field;
	return type;
}

static struct value_type common_type(struct value_type a, struct value_type b)
{
	struct value_type type = { 0 };

	if (a.kind == VALUE_ARRAY || a.kind == VALUE_POINTER)
		return a;
	if (b.kind == VALUE_ARRAY || b.kind == VALUE_POINTER)
		return b;
	if (a.kind == VALUE_TEXT && b.kind == VALUE_TEXT)
		return a;
	if (a.kind != VALUE_NUMBER || b.kind != VALUE_NUMBER)
		return type;
	type.kind = VALUE_NUMBER;
	type.size = a.size > b.size ? a.size : b.size;
	type.sign_known = a.sign_known && b.sign_known;
	type.is_signed = a.size == b.size ? a.is_signed && b.is_signed :
		a.size > b.size ? a.is_signed : b.is_signed;
	return type;
}

static struct value_type of_operation(const struct subject *s, const struct print_node *node)
{
	struct value_type a, b, type = { 0 };

	switch (node->op) {
	case '[':
		a = value_type_of(s, node->a);
		if (a.kind == VALUE_ARRAY && a.field && a.field->element_size <= 8)
			return number_type(a.field->element_size, a.field->is_signed);
		return type;
	case '?':
		type = common_type(value_type_of(s, node->b->a), value_type_of(s, node->b->b));
		type.field = NULL;
		return type;
	case '!':
	case '<':
	case '>':
	case PRINT_OP('<', '='):
	case PRINT_OP('>', '='):
	case PRINT_OP('=', '='):
	case PRINT_OP('!', '='):
	case PRINT_OP('&', '&'):
	case PRINT_OP('|', '|'):
		return plain_int;
	case '-':
	case '+':
	case '~':
		if (node->a->kind == PRINT_NOTHING) {
			type = value_type_of(s, node->b);
			type.field = NULL;
			return type;
		}
		break;
	case PRINT_OP('<', '<'):
	case PRINT_OP('>', '>'):
		type = value_type_of(s, node->a);
		type.field = NULL;
		type.is_narrow = type.is_char = false;
		return type;
	default:
		break;
	}
	a = value_type_of(s, node->a);
	b = value_type_of(s, node->b);
	type = common_type(a, b);
	type.field = NULL;
	return type;
}

/* Type a constant such as "1UL" or "0x10" by its value and suffix. */
static struct value_type of_atom(const struct subject *s, const char *text)
{
	struct value_type type = plain_int;
	char *end;
	uint64_t value;

	if (*text < '0' || *text > '9')
		return (struct value_type){ .kind = VALUE_UNKNOWN };
	value = strtoull(text, &end, 0);
	if (strpbrk(end, "lL") || value > UINT32_MAX)
		type.size = 8;
	type.is_signed = !strpbrk(end, "uU");
	return type;
}

struct value_type value_type_of(const struct subject *s, const struct print_node *node)
{
	switch (node->kind) {
	case PRINT_ATOM:
		return of_atom(s, node->text);
	case PRINT_FIELD:
		return of_field(s, node->text);
	case PRINT_CAST:
		return of_cast(s, node);
	case PRINT_OPERATION:
		return of_operation(s, node);
	case PRINT_FLAGS:
	case PRINT_SYMBOL:
	case PRINT_HEX:
	case PRINT_HEX_STRING:
	case PRINT_ARRAY:
	case PRINT_STRING:
	case PRINT_BITMASK:
	case PRINT_CPUMASK:
		return (struct value_type){ .kind = VALUE_TEXT };
	case PRINT_DYNAMIC:
		return (struct value_type){
			.kind = VALUE_ARRAY, .field = event_format_field(s->format, node->text),
		};
	case PRINT_DYNAMIC_LENGTH:
		return (struct value_type){ .kind = VALUE_NUMBER, .size = 4 };
	default:
		return (struct value_type){ 0 };
	}
}
