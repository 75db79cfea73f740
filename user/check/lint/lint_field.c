// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "check/lint/lint.h"
#include "lib/array.h"

/* From this size on, a fixed text nearly always costs more than __string(). */
#define ARRAY_LARGE 64

static bool is_snake(const char *name)
{
	for (; *name; name++)
		if (!islower((unsigned char)*name) && !isdigit((unsigned char)*name) &&
		    *name != '_')
			return false;
	return true;
}

/* Whether a name is a reserved word of Python, or has another meaning in filters. */
static bool is_reserved_name(const char *name)
{
	static const char *const words[] = {
		"and", "as", "assert", "async", "await", "class", "def", "del", "elif", "except",
		"finally", "from", "global", "import", "in", "is", "lambda", "nonlocal", "not",
		"or", "pass", "raise", "try", "with", "yield", "CPU", "COMM",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], name))
			return true;
	return !strncmp(name, "common_", 7);
}

static void check_field_names(struct subject *s)
{
	const struct event_format *format = s->format;

	if (!is_snake(format->name))
		find_at(s, RULE_EVENT_NAME, NULL, strlen("name: "), "The event is called %s",
			format->name);
	for (size_t i = format->nr_common; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];

		if (!is_snake(field->name))
			find_field(s, RULE_FIELD_NAME, field, "A field is called %s", field->name);
		if (is_reserved_name(field->name))
			find_field(s, RULE_FIELD_NAME_TAKEN, field, "%s %s", field->name,
				   islower((unsigned char)*field->name) &&
				   strncmp(field->name, "common_", 7) ?
				   "is a keyword of Python" :
				   "means something of every record to filters");
	}
}

static void check_duplicates(struct subject *s)
{
	const struct event_format *format = s->format;

	for (size_t i = format->nr_common; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];
		const struct field *first = event_format_field(format, field->name);

		if (first != field)
			find_field(s, RULE_FIELD_DUPLICATE, field,
				   "%s is declared at offset %u and again at %u", field->name,
				   first->offset, field->offset);
	}
}

/* Sign: 1 yes, 0 no, -1 depends on the kernel. */
static const struct known_type {
	const char *name;
	uint32_t size;
	int sign;
} known_types[] = {
	{ "u8", 1, 0 }, { "u16", 2, 0 }, { "u32", 4, 0 }, { "u64", 8, 0 },
	{ "__u8", 1, 0 }, { "__u16", 2, 0 }, { "__u32", 4, 0 }, { "__u64", 8, 0 },
	{ "s8", 1, 1 }, { "s16", 2, 1 }, { "s32", 4, 1 }, { "s64", 8, 1 },
	{ "__s8", 1, 1 }, { "__s16", 2, 1 }, { "__s32", 4, 1 }, { "__s64", 8, 1 },
	{ "uint8_t", 1, 0 }, { "uint16_t", 2, 0 }, { "uint32_t", 4, 0 }, { "uint64_t", 8, 0 },
	{ "int8_t", 1, 1 }, { "int16_t", 2, 1 }, { "int32_t", 4, 1 }, { "int64_t", 8, 1 },
	{ "__be16", 2, 0 }, { "__be32", 4, 0 }, { "__be64", 8, 0 },
	{ "__le16", 2, 0 }, { "__le32", 4, 0 }, { "__le64", 8, 0 },
	{ "char", 1, -1 }, { "bool", 1, 0 }, { "short", 2, 1 }, { "unsigned short", 2, 0 },
	{ "int", 4, 1 }, { "unsigned int", 4, 0 }, { "unsigned", 4, 0 }, { "pid_t", 4, 1 },
	{ "long long", 8, 1 }, { "unsigned long long", 8, 0 },
};

static void check_type(struct subject *s, const struct field *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_types); i++) {
		const struct known_type *t = &known_types[i];

		if (strcmp(t->name, field->type))
			continue;
		if (t->size != field->size)
			find_field(s, RULE_TYPE_SIZE, field, "%s %s has %u bytes instead of %u",
				   field->type, field->name, field->size, t->size);
		else if (t->sign >= 0 && t->sign != field->is_signed)
			find_field(s, RULE_TYPE_SIZE, field, "%s %s is described as %s", field->type,
				   field->name, field->is_signed ? "signed" : "unsigned");
	}
}

void lint_field(struct subject *s)
{
	check_duplicates(s);
	if (s->is_generated)
		return;
	check_field_names(s);
	for (size_t i = s->format->nr_common; i < s->format->nr_fields; i++) {
		const struct field *field = &s->format->fields[i];

		check_type(s, field);
		if (field->kind == FIELD_STRING && field->size >= ARRAY_LARGE)
			find_field(s, RULE_ARRAY_WASTEFUL, field,
				   "%s takes %u bytes of every record", field->name, field->size);
	}
}
