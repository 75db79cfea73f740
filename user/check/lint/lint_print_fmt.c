// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "check/lint/lint.h"
#include "format/print_token.h"
#include "format/tep_verdict.h"

/* Whether the same word occurred before, so that one finding covers both. */
static bool is_repeated_mention(const struct subject *s, size_t index)
{
	const struct word *w = &s->words.items[index];

	for (size_t i = 0; i < index; i++)
		if (s->words.items[i].len == w->len &&
		    !memcmp(s->text + s->words.items[i].place, s->text + w->place, w->len))
			return true;
	return false;
}

/* Find unknown calls: a name directly before '('.  Accessors and the like are known. */
static void find_calls(struct subject *s)
{
	bool statements = false;

	for (size_t i = 0; i < s->words.nr; i++) {
		const struct word *w = &s->words.items[i];
		const char *name = s->text + w->place;

		if (subject_is_op(s, i, '(') && subject_is_op(s, i + 1, '{')) {
			if (!statements)
				find_at(s, RULE_FUNCTION_UNKNOWN, NULL, w->place,
					"The print fmt has a statement expression, ({ ... })");
			statements = true;
			continue;
		}
		if (w->kind != TOKEN_NAME || !subject_is_op(s, i + 1, '(') ||
		    print_tree_knows_function(name, w->len) ||
		    subject_is_name(s, i, "typeof") || subject_is_name(s, i, "__typeof__"))
			continue;
		if (i && (subject_is_op(s, i - 1, PRINT_OP('-', '>')) ||
			  subject_is_op(s, i - 1, '.')))
			continue;
		if (is_repeated_mention(s, i))
			continue;
		find_at(s, RULE_FUNCTION_UNKNOWN, NULL, w->place, "The print fmt calls %.*s()",
			(int)w->len, name);
	}
}

/* Find members of structs: "REC->pair.a", also through casts of fields of the record. */
static void find_members(struct subject *s)
{
	for (size_t i = 1; i + 1 < s->words.nr; i++) {
		const struct word *member = &s->words.items[i + 1];

		if (!subject_is_op(s, i, '.') || member->kind != TOKEN_NAME ||
		    (s->words.items[i - 1].kind != TOKEN_NAME && !subject_is_op(s, i - 1, ')') &&
		     !subject_is_op(s, i - 1, ']')))
			continue;
		/* One finding is enough. */
		find_at(s, RULE_STRUCT_MEMBER, NULL, s->words.items[i].place,
			"The print fmt reads the member %.*s of a struct", (int)member->len,
			s->text + member->place);
		return;
	}
}

/* Find "&REC->uuid": an address in the memory of the process that prints. */
static void find_addresses(struct subject *s)
{
	for (size_t i = 0; i + 1 < s->words.nr; i++) {
		const struct word *w = &s->words.items[i];
		bool begins = !i || w[-1].argument != w->argument ||
			(w[-1].kind == TOKEN_OPERATOR && !subject_is_op(s, i - 1, ')') &&
			 !subject_is_op(s, i - 1, ']'));
		size_t at;
		_cleanup_free_ char *name = NULL;

		if (!subject_is_op(s, i, '&') || !begins)
			continue;
		name = subject_mention(s, i + 1, &at);
		if (name)
			find_at(s, RULE_ADDRESS_OF_FIELD, name, w->place,
				"The print fmt uses the address of %s", name);
	}
}

/* Find errors in the print fmt that no other rule explains. */
static void find_unparsed(struct subject *s, enum tep_verdict verdict)
{
	const char *others = verdict == TEP_ACCEPTS ? "; libtraceevent takes it" :
		"; only the kernel can print it";

	if (s->is_torn) {
		find_at(s, RULE_PRINT_FMT_UNPARSED, NULL, s->print_fmt,
			"Quotes or parentheses of the print fmt do not match%s", others);
		finding_instead(s->result, RULE_PRINT_FMT_UNPARSED,
				"No quotes within the text: format files show them bare");
		return;
	}
	for (size_t i = 0; i < s->arguments.nr; i++) {
		const struct argument *a = &s->arguments.items[i];

		if (!a->tree)
			find_at(s, RULE_PRINT_FMT_UNPARSED, NULL, a->failed,
				"Argument %zu of the print fmt is not understood here%s", i + 1,
				others);
	}
}

static bool is_parsed(const struct subject *s)
{
	for (size_t i = 0; i < s->arguments.nr; i++)
		if (!s->arguments.items[i].tree)
			return false;
	return !s->is_torn;
}

static void find_ends(struct subject *s)
{
	size_t begin = s->print_fmt + 1, end;
	bool any_field = s->format->nr_fields > s->format->nr_common;

	if (s->text[s->print_fmt] != '"')
		return;
	for (end = begin; s->text[end] && s->text[end] != '"'; end++)
		if (s->text[end] == '\\' && s->text[end + 1])
			end++;
	if (end == begin && any_field && !s->arguments.nr && !s->is_generated)
		find_at(s, RULE_PRINT_FMT_EMPTY, NULL, s->print_fmt, "The print fmt is empty");
	/* Format files may have the characters instead of their escapes. */
	if ((end > begin && s->text[end - 1] == '\n') ||
	    (end - begin >= 2 && !memcmp(s->text + end - 2, "\\n", 2)))
		find_at(s, RULE_TRAILING_NEWLINE, NULL, end - 1, "The print fmt ends in \\n");
}

static void find_counts(struct subject *s)
{
	if (s->is_torn || s->nr_values == s->arguments.nr)
		return;
	find_at(s, RULE_ARGUMENT_COUNT, NULL, s->print_fmt,
		"The conversions take %zu arguments, there are %zu", s->nr_values,
		s->arguments.nr);
}

/* Whether another rule already explains why readers fail to use the print fmt. */
static bool is_explained(const struct subject *s, bool parsed)
{
	const bool *met = s->result->met;

	if (!parsed)
		return !s->is_torn && (met[RULE_FUNCTION_UNKNOWN] || met[RULE_STRUCT_MEMBER] ||
				       met[RULE_ADDRESS_OF_FIELD] || met[RULE_POINTER_DEREFERENCE]);
	for (size_t i = 0; i < RULES_NR; i++)
		if (met[i] && rules[i].level != LEVEL_NOTE)
			return true;
	return false;
}

/* Find where libtraceevent fails: at the first argument that it does not accept alone. */
static size_t refused_at(const struct subject *s)
{
	for (size_t i = 0; i < s->arguments.nr; i++) {
		const struct argument *a = &s->arguments.items[i];
		_cleanup_(strbuf) struct strbuf alone = STRBUF_INIT;

		strbuf_add(&alone, s->text, s->print_fmt);
		strbuf_addstr(&alone, "\"%s\", ");
		strbuf_add(&alone, s->text + a->place, a->len);
		strbuf_addch(&alone, '\n');
		if (!alone.failed && tep_verdict_of(s->result->system, alone.data, alone.len) !=
		    TEP_ACCEPTS)
			return a->place;
	}
	return s->print_fmt;
}

void lint_parse(struct subject *s)
{
	bool parsed = is_parsed(s);
	enum tep_verdict verdict;

	if (is_explained(s, parsed))
		return;
	verdict = tep_verdict_of(s->result->system, s->text, strlen(s->text));
	if (!parsed)
		find_unparsed(s, verdict);
	else if (verdict == TEP_REFUSES)
		find_at(s, RULE_PRINT_FMT_LIBTRACEEVENT, NULL, refused_at(s),
			"libtraceevent cannot parse the print fmt");
	else if (verdict == TEP_CRASHES)
		find_at(s, RULE_PRINT_FMT_LIBTRACEEVENT, NULL, refused_at(s),
			"libtraceevent crashes while it parses the print fmt");
}

void lint_print_fmt(struct subject *s)
{
	find_calls(s);
	find_members(s);
	find_addresses(s);
	find_counts(s);
	find_ends(s);
}
