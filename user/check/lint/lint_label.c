// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <string.h>

#include "check/lint/lint.h"
#include "format/print_token.h"

static bool is_label_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The field that an argument shows, and nothing else; NULL: it is another expression. */
static const char *field_shown(const struct argument *a)
{
	const struct print_node *node = a ? a->node : NULL;

	while (node && (node->kind == PRINT_CAST || node->kind == PRINT_FLAGS ||
			node->kind == PRINT_SYMBOL))
		node = node->a;
	if (!node || (node->kind != PRINT_FIELD && node->kind != PRINT_STRING))
		return NULL;
	return node->text;
}

/* Whether the text before a conversion, as in "name=0x%x" and "name: %u", names @name. */
static bool is_labelled(const struct subject *s, const struct conversion *c, const char *name)
{
	const char *begin = s->text + s->print_fmt, *end = s->text + c->place;
	size_t len = strlen(name);

	if (end - begin > 2 && end[-1] == 'x' && end[-2] == '0')
		end -= 2;
	while (end > begin && strchr(" =:", end[-1]))
		end--;
	return (size_t)(end - begin) > len && !memcmp(end - len, name, len) &&
		!is_label_char(end[-len - 1]);
}

/* "code=%d flags=%x" of flags and code. */
static void find_swapped(struct subject *s)
{
	for (size_t i = 0; i < s->conversions.nr; i++) {
		const struct conversion *c = &s->conversions.items[i];
		const char *shown = field_shown(subject_argument(s, c));

		for (size_t j = 0; shown && j < i; j++) {
			const struct conversion *d = &s->conversions.items[j];
			const char *other = field_shown(subject_argument(s, d));

			if (!other || !strcmp(other, shown) || !is_labelled(s, c, other) ||
			    !is_labelled(s, d, shown))
				continue;
			find_at(s, RULE_LABEL_SWAPPED, other, d->place,
				"%s is printed where the text says %s, and the other way round",
				other, shown);
			return;
		}
	}
}

/* "%dlen=%u" */
static void find_unseparated(struct subject *s)
{
	for (size_t i = 0; i < s->conversions.nr; i++) {
		const struct conversion *c = &s->conversions.items[i];
		const char *behind = s->text + c->place + c->len, *at = behind;

		while (is_label_char(*at))
			at++;
		/* A text may end in a blank, for example if it replaces an optional part. */
		if (at == behind || *at != '=' || c->letter == 's')
			continue;
		find_at(s, RULE_LABEL_UNSEPARATED, NULL, c->place,
			"\"%.*s\" stands directly behind %.*s", (int)(at + 1 - behind), behind,
			(int)c->len, s->text + c->place);
	}
}

static void find_prefixes(struct subject *s)
{
	for (size_t i = 0; i < s->conversions.nr; i++) {
		const struct conversion *c = &s->conversions.items[i];
		const char *at = s->text + c->place;

		if (c->place < s->print_fmt + 3 || at[-1] != 'x' || at[-2] != '0' ||
		    is_label_char(at[-3]))
			continue;
		if (c->letter && strchr("diu", c->letter))
			find_at(s, RULE_NUMBER_PREFIX, NULL, c->place,
				"%.*s prints decimal digits behind 0x", (int)c->len, at);
		else if (memchr(at, '#', c->len) || (c->letter == 'p' && !c->extension_len))
			find_at(s, RULE_NUMBER_PREFIX, NULL, c->place,
				"%.*s prints its own 0x behind that of the text%s", (int)c->len, at,
				c->letter == 'p' ? ", where recordings are read" : "");
	}
}

void lint_label(struct subject *s)
{
	if (s->is_generated)
		return;
	find_swapped(s);
	find_unseparated(s);
	find_prefixes(s);
}
