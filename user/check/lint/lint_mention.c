// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "check/lint/lint.h"

/*
 * Skip the prefix of "__data_loc_name" and "__rel_loc_name", which are the offset and length
 * of name.
 */
static const char *without_location(const char *name)
{
	static const char *const locations[] = { "__data_loc_", "__rel_loc_" };

	for (size_t i = 0; i < 2; i++)
		if (!strncmp(name, locations[i], strlen(locations[i])))
			return name + strlen(locations[i]);
	return name;
}

/* Whether @accessor, of @len bytes, suits the kind of @field. */
static bool suits(const char *accessor, size_t len, const struct field *field)
{
	bool is_relative = field->kind >= FIELD_REL_STRING;

	if (field->kind < FIELD_DYNAMIC_STRING)
		return false;
	return (len > 10 && !memcmp(accessor, "__get_rel_", 10)) == is_relative;
}

static void check_mentions(struct subject *s, bool *mentioned)
{
	for (size_t i = 0; i < s->words.nr; i++) {
		const struct word *w = &s->words.items[i];
		const struct field *field;
		size_t at;
		_cleanup_free_ char *name = subject_mention(s, i, &at);

		if (!name)
			continue;
		field = event_format_field(s->format, without_location(name));
		if (!field) {
			find_at(s, RULE_FIELD_MISSING, name, s->words.items[at].place,
				"The event has no field %s", name);
			continue;
		}
		mentioned[field - s->format->fields] = true;
		if (subject_is_name(s, i, "REC") || suits(s->text + w->place, w->len, field))
			continue;
		find_at(s, RULE_WRONG_ACCESSOR, name, w->place, "%.*s() is not for %s %s",
			(int)w->len, s->text + w->place, field->type, name);
		if (field->kind < FIELD_DYNAMIC_STRING)
			finding_instead(s->result, RULE_WRONG_ACCESSOR, "__entry->%s", name);
	}
}

static void check_unmentioned(struct subject *s, const bool *mentioned)
{
	for (size_t i = s->format->nr_common; i < s->format->nr_fields; i++) {
		const struct field *field = &s->format->fields[i];

		if (!mentioned[event_format_field(s->format, field->name) - s->format->fields])
			find_field(s, RULE_FIELD_NOT_PRINTED, field,
				   "%s (%u bytes) is recorded and never printed", field->name,
				   field->size);
	}
}

/* Whether two texts have the same words, ignoring blanks. */
static bool is_same_text(const struct subject *s, size_t a, size_t a_len, size_t b, size_t b_len)
{
	const char *p = s->text + a, *p_end = p + a_len;
	const char *q = s->text + b, *q_end = q + b_len;

	for (;;) {
		while (p < p_end && isspace((unsigned char)*p))
			p++;
		while (q < q_end && isspace((unsigned char)*q))
			q++;
		if (p == p_end || q == q_end)
			return p == p_end && q == q_end;
		if (*p++ != *q++)
			return false;
	}
}

/* Whether the argument shows a field and adds nothing to it. */
static bool shows_field(const struct argument *a)
{
	const struct print_node *node = a->node;

	while (node && (node->kind == PRINT_CAST || node->kind == PRINT_FLAGS ||
			node->kind == PRINT_SYMBOL))
		node = node->a;
	return node && (node->kind == PRINT_FIELD || node->kind == PRINT_STRING);
}

static void check_repeated(struct subject *s)
{
	for (size_t i = 1; i < s->conversions.nr; i++) {
		const struct conversion *c = &s->conversions.items[i];
		const struct argument *a = subject_argument(s, c);

		for (size_t j = 0; a && shows_field(a) && j < i; j++) {
			const struct conversion *d = &s->conversions.items[j];
			const struct argument *b = subject_argument(s, d);

			if (!b || !is_same_text(s, a->place, a->len, b->place, b->len) ||
			    !is_same_text(s, c->place, c->len, d->place, d->len))
				continue;
			find_at(s, RULE_FIELD_PRINTED_TWICE, NULL, a->place,
				"%.*s is printed twice, by %.*s", (int)a->len, s->text + a->place,
				(int)c->len, s->text + c->place);
			break;
		}
	}
}

void lint_mention(struct subject *s)
{
	_cleanup_free_ bool *mentioned = calloc(s->format->nr_fields + 1, sizeof(*mentioned));

	if (!mentioned) {
		s->results->failed = true;
		return;
	}
	check_mentions(s, mentioned);
	/*
	 * For an empty print fmt one finding is enough, and for generated ones there is none.
	 */
	if (s->arguments.nr && !s->is_generated && !s->is_torn)
		check_unmentioned(s, mentioned);
	check_repeated(s);
}
