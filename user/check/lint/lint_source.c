// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "check/lint/lint.h"
#include "lib/strbuf.h"

/* An event, and the parts of its class that fill the record. */
struct source {
	struct results *results;
	struct result *result;
	const struct trace_header *header;
	const struct header_event *event;
	const struct header_part *entry, *assign;
	char *text;		/* of both, and of the macros that they name */
	char *entry_text;	/* of TP_STRUCT__entry() and its macros */
	char *assign_text;	/* of TP_fast_assign() and its macros */
};

static bool is_source_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The next offset of @word in @text; NULL: none. */
static const char *source_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if (!is_source_char(at[len]) && (at == text || !is_source_char(at[-1])))
			return at;
	return NULL;
}

static const char *white_behind(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* The last byte before @at that is not a blank; @text: there is none. */
static const char *white_before(const char *text, const char *at)
{
	while (at > text && isspace((unsigned char)at[-1]))
		at--;
	return at > text ? at - 1 : text;
}

/* Add a finding at the line where the part mentions @word, else at that of the event. */
#define find_source(s, rule, part, word, field, ...) do {			\
	size_t at_ = (part) ? trace_header_find_word((s)->header, part, (part)->place, word) : 0; \
	size_t line_ = at_ ? trace_header_line((s)->header, at_) : (s)->event->line; \
	_cleanup_free_ char *excerpt_ = trace_header_excerpt((s)->header, line_); \
										\
	finding_add((s)->results, (s)->result, rule, field, NO_PLACE, __VA_ARGS__); \
	finding_source((s)->results, (s)->result, rule, line_, excerpt_ ? excerpt_ : ""); \
} while (0)

/* Whether the word that ends before @end is "entry" or "__entry". */
static bool is_entry_before(const char *text, const char *end)
{
	const char *begin = end;

	while (begin > text && is_source_char(begin[-1]))
		begin--;
	return (end - begin == 5 && !memcmp(begin, "entry", 5)) ||
		(end - begin == 7 && !memcmp(begin, "__entry", 7));
}

/*
 * Whether the assignment may set @field: "__entry->field", or the name as an argument, as of
 * __assign_str() and macros.
 */
static bool may_assign(const struct source *s, const char *field)
{
	const char *text = s->assign_text;

	for (const char *at = source_word(text, field); at; at = source_word(at + 1, field)) {
		const char *before = white_before(text, at);

		if (strchr("(,&", *before))
			return true;
		if (before > text && *before == '>' && before[-1] == '-') {
			const char *owner = white_before(text, before - 1);

			if (is_entry_before(text, owner + 1))
				return true;
		}
	}
	return false;
}

/*
 * Whether something else may fill the record: a function or macro that gets the whole of it, a
 * macro of another header, or names that are pasted together.
 */
static bool is_opaque(const struct source *s)
{
	static const char *const names[] = { "__entry", "entry" };
	const char *text = s->assign_text;

	if (strstr(s->text, "##"))
		return true;
	for (size_t i = 0; i < 2; i++)
		for (const char *at = source_word(text, names[i]); at;
		     at = source_word(at + 1, names[i]))
			if (strncmp(white_behind(at + strlen(names[i])), "->", 2))
				return true;
	/* A statement that begins with a name in capitals is a macro. */
	for (const char *at = text; *at; at++) {
		const char *begin = at;
		char *name;
		bool is_known;

		if (!isupper((unsigned char)*at) || (at > text && is_source_char(at[-1])) ||
		    (at > text && !strchr(";{}", *white_before(text, at)) &&
		     white_before(text, at) != text))
			continue;
		while (is_source_char(*at) && !islower((unsigned char)*at))
			at++;
		if (is_source_char(*at))
			continue;
		name = strndup(begin, at - begin);
		is_known = false;
		for (size_t i = 0; name && i < s->header->macros.nr; i++)
			is_known |= !strcmp(s->header->macros.items[i].name, name);
		free(name);
		if (!is_known)
			return true;
		at--;
	}
	return false;
}

static void find_unassigned(const struct source *s, const struct event_format *format)
{
	if (is_opaque(s))
		return;
	for (size_t i = format->nr_common; i < format->nr_fields; i++) {
		const char *name = format->fields[i].name;

		/* The header may be of another version than the kernel. */
		if (may_assign(s, name) || !source_word(s->entry_text, name))
			continue;
		find_source(s, RULE_FIELD_NOT_ASSIGNED, s->entry, name, name,
			    "TP_fast_assign() never sets %s", name);
	}
}

/* The arguments of the call that begins at @open, "(": copied without blanks. */
static char *take_call(const char *open)
{
	size_t close = trace_header_close(open, 0);
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	for (size_t i = 1; i + 1 < close; i++)
		if (!isspace((unsigned char)open[i]))
			strbuf_addch(&text, open[i]);
	return text.failed ? NULL : strdup(strbuf_str(&text));
}

/* Skip parentheses around the whole text; @text is changed. */
static char *without_parentheses(char *text)
{
	size_t len = strlen(text);

	while (len > 2 && text[0] == '(' && trace_header_close(text, 0) == len) {
		text[len - 1] = '\0';
		text++;
		len -= 2;
	}
	return text;
}

/* Whether an expression begins with an argument of the tracepoint, and no local variable. */
static bool begins_with_argument(const struct source *s, const char *text)
{
	const struct header_part *proto = trace_header_part(s->header, s->event, PART_PROTO);
	const char *end = text + strspn(text, "(*&!");
	_cleanup_free_ char *word = NULL;
	size_t len = 0;

	while (is_source_char(end[len]))
		len++;
	word = strndup(end, len);
	return proto && len && word && (isdigit((unsigned char)*word) ||
		trace_header_find_word(s->header, proto, proto->place, word));
}

/* Compare __string(name, source) with __assign_str(name, source), in the form before Linux 6.10. */
static void find_other_strings(const struct source *s)
{
	static const char macro[] = "__string";

	for (const char *at = source_word(s->text, macro); at; at = source_word(at + 1, macro)) {
		const char *open = white_behind(at + strlen(macro));
		_cleanup_free_ char *declared = *open == '(' ? take_call(open) : NULL;
		char *source = declared ? strchr(declared, ',') : NULL;

		if (!source)
			continue;
		*source++ = '\0';
		for (const char *use = source_word(s->assign_text, "__assign_str"); use;
		     use = source_word(use + 1, "__assign_str")) {
			const char *call = white_behind(use + strlen("__assign_str"));
			_cleanup_free_ char *assigned = *call == '(' ? take_call(call) : NULL;
			char *other = assigned ? strchr(assigned, ',') : NULL;

			if (!other)
				continue;
			*other++ = '\0';
			if (strcmp(assigned, declared) ||
			    !strcmp(without_parentheses(other), without_parentheses(source)) ||
			    !begins_with_argument(s, other) || !begins_with_argument(s, source))
				continue;
			find_source(s, RULE_STRING_SOURCE_DIFFERS, s->assign, declared, declared,
				    "%s has room for %s, and %s is copied into it", declared,
				    source, other);
		}
	}
}

/* Functions that may sleep with any arguments. */
static const char *const sleepers[] = {
	"mutex_lock", "mutex_lock_interruptible", "mutex_lock_killable", "mutex_lock_nested",
	"down", "down_read", "down_write", "down_interruptible", "msleep", "usleep_range", "schedule",
	"schedule_timeout", "might_sleep", "cond_resched", "wait_event", "wait_for_completion",
	"dput", "iput", "fput", "mntput", "path_put", "copy_from_user", "copy_to_user", "get_user",
	"put_user", "strncpy_from_user", "strnlen_user", "synchronize_rcu", "flush_work",
	"vmalloc", "kvmalloc",
};

static void find_sleepers(const struct source *s)
{
	for (size_t i = 0; i < sizeof(sleepers) / sizeof(sleepers[0]); i++) {
		const char *at = source_word(s->text, sleepers[i]);

		if (!at || *white_behind(at + strlen(sleepers[i])) != '(')
			continue;
		find_source(s, RULE_ASSIGNMENT_SLEEPS, s->assign, sleepers[i], NULL,
			    "The assignment calls %s()", sleepers[i]);
	}
	if (source_word(s->text, "GFP_KERNEL"))
		find_source(s, RULE_ASSIGNMENT_SLEEPS, s->assign, "GFP_KERNEL", NULL,
			    "The assignment allocates memory with GFP_KERNEL");
}

/* Whether "__entry->field[...] = 0" follows, which ends the text. */
static bool is_ended(const char *text, const char *field)
{
	for (const char *at = source_word(text, field); at; at = source_word(at + 1, field)) {
		const char *behind = white_behind(at + strlen(field));

		if (*behind != '[')
			continue;
		behind = strchr(behind, ']');
		behind = behind ? white_behind(behind + 1) : "";
		if (*behind == '=')
			return true;
	}
	return false;
}

static void find_copies(const struct source *s)
{
	static const struct {
		const char *function, *problem;
		bool is_bounded;
	} copies[] = {
		{ "strcpy", "goes beyond its end if the text is longer", false },
		{ "strcat", "goes beyond its end if the text is longer", false },
		{ "sprintf", "goes beyond its end if the text is longer", false },
		{ "strncpy", "leaves it without a NUL if the text is as long", true },
	};

	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
		const char *function = copies[i].function;

		for (const char *at = source_word(s->assign_text, function); at;
		     at = source_word(at + 1, function)) {
			const char *open = white_behind(at + strlen(function));
			_cleanup_free_ char *call = *open == '(' ? take_call(open) : NULL;
			char *source = call ? strchr(call, ',') : NULL, *field;

			if (!source)
				continue;
			*source++ = '\0';
			field = strstr(call, "entry->");
			/* A text of the header itself has been written to fit. */
			if (!field || (*source == '"' && !strstr(source, "%s")))
				continue;
			field += strlen("entry->");
			if (field[strspn(field, "abcdefghijklmnopqrstuvwxyz"
					 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] ||
			    (copies[i].is_bounded && is_ended(open, field)))
				continue;
			find_source(s, RULE_STRING_COPY, s->assign, function, field,
				    "%s() to %s %s", function, field, copies[i].problem);
		}
	}
}

/* The last argument of a call if its first one is @first, else NULL.  @call is changed. */
static const char *last_argument(char *call, const char *first)
{
	char *last = strrchr(call, ','), *comma = strchr(call, ',');

	if (!comma || last == comma)
		return NULL;
	*comma = '\0';
	return strcmp(call, first) ? NULL : last + 1;
}

/* Whether memcpy() to the array @field has the @length of its declaration as its size. */
static bool copies_length(const struct source *s, const char *field, const char *length)
{
	_cleanup_(strbuf) struct strbuf target = STRBUF_INIT;
	static const char function[] = "memcpy";

	strbuf_addf(&target, "__entry->%s", field);
	for (const char *at = source_word(s->assign_text, function); at && !target.failed;
	     at = source_word(at + 1, function)) {
		const char *open = white_behind(at + strlen(function));
		_cleanup_free_ char *call = *open == '(' ? take_call(open) : NULL;
		const char *size = call ? last_argument(call, target.data) : NULL;

		if (size && !strcmp(size, length))
			return true;
	}
	return false;
}

static void find_copy_counts(const struct source *s, const struct event_format *format)
{
	static const char macro[] = "__array";

	for (const char *at = source_word(s->entry_text, macro); at;
	     at = source_word(at + 1, macro)) {
		const char *open = white_behind(at + strlen(macro));
		_cleanup_free_ char *declared = *open == '(' ? take_call(open) : NULL;
		char *name = declared ? strchr(declared, ',') : NULL;
		char *length = name ? strchr(name + 1, ',') : NULL;
		const struct field *field;

		if (!length)
			continue;
		*length++ = '\0';
		field = event_format_field(format, ++name);
		if (!field || field->element_size <= 1 || !copies_length(s, name, length))
			continue;
		find_source(s, RULE_COPY_COUNT, s->assign, field->name, field->name,
			    "memcpy() copies %s bytes to %s, which has as many elements of %u bytes",
			    length, field->name, field->element_size);
	}
}

static struct error *source_look(struct source *s)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct subject subject;
	struct error *err;

	s->entry = trace_header_part(s->header, s->event, PART_ENTRY);
	s->assign = trace_header_part(s->header, s->event, PART_ASSIGN);
	if (!s->entry || !s->assign || subject_is_generated(s->result))
		return NULL;
	s->assign_text = trace_header_expand(s->header, s->assign);
	s->entry_text = trace_header_expand(s->header, s->entry);
	if (!s->assign_text || !s->entry_text)
		return &error_no_memory;
	strbuf_addf(&text, "%s\n%s", s->entry_text, s->assign_text);
	if (text.failed)
		return &error_no_memory;
	s->text = take_ptr(text.data);

	find_other_strings(s);
	find_sleepers(s);
	find_copies(s);
	/* A damaged format has been found before; then fields are not known. */
	if (s->result->met[RULE_FORMAT_DAMAGED])
		return NULL;
	err = subject_init(&subject, s->results, s->result);
	if (!err && subject.format) {
		find_unassigned(s, subject.format);
		find_copy_counts(s, subject.format);
	}
	subject_deinit(&subject);
	return err;
}

struct error *lint_source(struct results *results, struct result *result,
			  const struct trace_header *header, const struct header_event *event)
{
	static const enum rule_id own[] = {
		RULE_FIELD_NOT_ASSIGNED, RULE_STRING_SOURCE_DIFFERS, RULE_ASSIGNMENT_SLEEPS,
		RULE_STRING_COPY, RULE_COPY_COUNT,
	};
	struct source source = {
		.results = results, .result = result, .header = header, .event = event,
	};
	struct error *err;

	/* An earlier check of the sources, whose results were kept, has them already. */
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		findings_remove(result, own[i]);
	err = source_look(&source);
	free(source.text);
	free(source.entry_text);
	free(source.assign_text);
	return err;
}
