// SPDX-License-Identifier: GPL-2.0
#include "attach/prototype.h"

#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>

/* How deeply functions may be nested as arguments of functions. */
#define MAX_DEPTH	4

struct span {
	const char *text;
	u32 len;
};

/* The C text that is being read. */
struct source {
	struct ktrace_prototype *to;
	const char *at;
	u32 depth;
	ktrace_prototype_passed passed;
	const void *types;		/* for passed() */
};

/* The beginning of a declaration. */
struct specifier {
	struct span kind;		/* "struct", "union" or "enum"; empty: none of them */
	struct span name;		/* a tag or a typedef; for a number, all of its keywords */
	bool is_number;
};

void ktrace_prototype_init(struct ktrace_prototype *prototype)
{
	prototype->len = 0;
	prototype->failed = false;
	prototype->text[0] = '\0';
}

void ktrace_prototype_put(struct ktrace_prototype *prototype, const char *text, u32 len)
{
	if (len >= KTRACE_PROTOTYPE_SIZE - prototype->len) {
		prototype->failed = true;
		return;
	}
	memcpy(prototype->text + prototype->len, text, len);
	prototype->len += len;
	prototype->text[prototype->len] = '\0';
}

static void put(struct ktrace_prototype *prototype, const char *text)
{
	ktrace_prototype_put(prototype, text, strlen(text));
}

static bool is_word_char(char c)
{
	return isalnum(c) || c == '_';
}

static const char *skip_space(const char *at)
{
	while (isspace(*at))
		at++;
	return at;
}

/* The word that begins at @at.  It is empty if no word begins there. */
static struct span word_at(const char *at)
{
	struct span word = { skip_space(at), 0 };

	while (is_word_char(word.text[word.len]))
		word.len++;
	return word;
}

static bool is(struct span word, const char *text)
{
	return word.len == strlen(text) && !memcmp(word.text, text, word.len);
}

static bool is_one_of(struct span word, const char * const *list)
{
	for (; *list; list++)
		if (is(word, *list))
			return true;
	return false;
}

static bool is_qualifier(struct span word)
{
	static const char * const qualifiers[] = {
		"const", "volatile", "restrict", "__restrict", "__const", "__volatile__", NULL
	};

	return is_one_of(word, qualifiers);
}

static bool is_number_word(struct span word)
{
	static const char * const words[] = {
		"char", "short", "int", "long", "signed", "unsigned", "_Bool", "float", "double",
		"__int128", NULL
	};

	return is_one_of(word, words);
}

void ktrace_prototype_put_number(struct ktrace_prototype *prototype, const char *words, u32 len)
{
	/* The kinds of number besides int. */
	static const char * const kinds[] = {
		"_Bool", "char", "short", "__int128", "float", "double"
	};
	bool is_unsigned = false, is_signed = false;
	const char *end = words + len;
	const char *kind = "int";
	int longs = 0, i;
	struct span word;

	while ((words = skip_space(words)) < end) {
		word = word_at(words);
		if (!word.len)
			break;
		words += word.len;
		is_unsigned |= is(word, "unsigned");
		is_signed |= is(word, "signed");
		longs += is(word, "long");
		for (i = 0; i < ARRAY_SIZE(kinds); i++)
			if (is(word, kinds[i]))
				kind = kinds[i];
	}
	if (is_unsigned)
		put(prototype, "unsigned ");
	/* All other kinds are signed anyway. */
	if (is_signed && !strcmp(kind, "char"))
		put(prototype, "signed ");
	if (longs && (!strcmp(kind, "int") || !strcmp(kind, "double")))
		put(prototype, longs > 1 ? "long long " : "long ");
	put(prototype, kind);
}

/* Moves behind @c if that is the next character. */
static bool take(struct source *from, char c)
{
	const char *at = skip_space(from->at);

	if (*at != c)
		return false;
	from->at = at + 1;
	return true;
}

/* Moves behind the parenthesis that closes the one just passed. */
static void skip_parenthesis(struct source *from)
{
	int depth = 1;

	for (; *from->at; from->at++) {
		depth += (*from->at == '(') - (*from->at == ')');
		if (!depth) {
			from->at++;
			return;
		}
	}
	from->to->failed = true;
}

/* Skips qualifiers and attributes. */
static void skip_qualifiers(struct source *from)
{
	struct span word;

	for (;;) {
		word = word_at(from->at);
		if (is(word, "__attribute__")) {
			from->at = word.text + word.len;
			if (!take(from, '('))
				from->to->failed = true;
			else
				skip_parenthesis(from);
		} else if (is_qualifier(word)) {
			from->at = word.text + word.len;
		} else {
			return;
		}
	}
}

static struct specifier take_specifier(struct source *from)
{
	struct specifier spec = {};
	struct span word;

	skip_qualifiers(from);
	word = word_at(from->at);
	if (is(word, "struct") || is(word, "union") || is(word, "enum")) {
		spec.kind = word;
		from->at = word.text + word.len;
		skip_qualifiers(from);
		word = word_at(from->at);
	}
	/* The compiler knows more than this (typeof), which is not understood here. */
	if (!word.len || isdigit(*word.text) || is(word, "typeof") || is(word, "__typeof__"))
		from->to->failed = true;
	spec.name = word;
	spec.is_number = !spec.kind.len && is_number_word(word);
	from->at = word.text + word.len;
	skip_qualifiers(from);
	while (spec.is_number && is_number_word(word = word_at(from->at))) {
		spec.name.len = word.text + word.len - spec.name.text;
		from->at = word.text + word.len;
		skip_qualifiers(from);
	}
	return spec;
}

static void put_specifier(struct ktrace_prototype *to, const struct specifier *spec)
{
	if (spec->is_number) {
		ktrace_prototype_put_number(to, spec->name.text, spec->name.len);
		return;
	}
	if (spec->kind.len) {
		ktrace_prototype_put(to, spec->kind.text, spec->kind.len);
		put(to, " ");
	}
	ktrace_prototype_put(to, spec->name.text, spec->name.len);
}

static int take_stars(struct source *from)
{
	int stars = 0;

	for (skip_qualifiers(from); take(from, '*'); skip_qualifiers(from))
		stars++;
	return stars;
}

static void put_stars(struct ktrace_prototype *to, int stars)
{
	while (stars-- > 0)
		put(to, "*");
}

static void take_name(struct source *from)
{
	struct span word = word_at(from->at);

	from->at = word.text + word.len;
}

static bool put_passed(struct source *from, const struct specifier *spec)
{
	return from->passed && !spec->kind.len && !spec->is_number &&
	       from->passed(from->to, spec->name.text, spec->name.len, from->types);
}

static void take_arguments(struct source *from);

/* Reads a pointer to a function, "*name)(ARGUMENTS)", from behind "SPECIFIER STARS (" on. */
static void take_function(struct source *from, const struct specifier *spec, int stars)
{
	int own = take_stars(from);

	take_name(from);
	if (!own || !take(from, ')') || !take(from, '(') || ++from->depth > MAX_DEPTH) {
		from->to->failed = true;
		return;
	}
	put_stars(from->to, own);
	put(from->to, "(");
	put_stars(from->to, stars);
	put_specifier(from->to, spec);
	put(from->to, ";");
	take_arguments(from);
	put(from->to, ")");
	from->depth--;
	if (!take(from, ')'))
		from->to->failed = true;
}

static void take_argument(struct source *from)
{
	struct specifier spec = take_specifier(from);
	int stars = take_stars(from);

	if (take(from, '(')) {
		take_function(from, &spec, stars);
	} else {
		take_name(from);
		/* An array is passed as a pointer. */
		if (take(from, '[')) {
			from->at = strchrnul(from->at, ']');
			if (!take(from, ']'))
				from->to->failed = true;
			stars++;
		}
		if (stars || !put_passed(from, &spec)) {
			put_stars(from->to, stars);
			put_specifier(from->to, &spec);
		}
	}
	skip_qualifiers(from);
	put(from->to, ",");
}

/* Reads arguments up to the parenthesis that closes the list, or to the end. */
static void take_arguments(struct source *from)
{
	struct span word = word_at(from->at);

	/* "(void)" means no arguments. */
	if (is(word, "void") && *skip_space(word.text + word.len) == ')') {
		from->at = word.text + word.len;
		return;
	}
	if (*word.text == ')')
		return;
	do
		take_argument(from);
	while (!from->to->failed && take(from, ','));
}

void ktrace_prototype_parse(struct ktrace_prototype *prototype, const char *proto,
			    ktrace_prototype_passed passed, const void *types)
{
	struct source from = {
		.to = prototype, .at = proto, .passed = passed, .types = types,
	};

	if (*skip_space(proto))
		take_arguments(&from);
	if (*skip_space(from.at))
		prototype->failed = true;
}
