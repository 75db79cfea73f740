// SPDX-License-Identifier: GPL-2.0
#include "header/trace_header.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"

/* A word of the text. */
struct header_word {
	const char *text;
	size_t len;
};

static bool is_header_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool header_word_is(struct header_word word, const char *text)
{
	return word.len == strlen(text) && !memcmp(word.text, text, word.len);
}

static bool header_word_begins(struct header_word word, const char *text)
{
	return word.len >= strlen(text) && !memcmp(word.text, text, strlen(text));
}

static const char *header_skip_white(const char *at)
{
	while (isspace((unsigned char)*at) || (at[0] == '\\' && at[1] == '\n'))
		at++;
	return at;
}

static struct header_word header_take_word(const char **at)
{
	struct header_word word = { *at, 0 };

	while (is_header_char(word.text[word.len]))
		word.len++;
	*at += word.len;
	return word;
}

static bool header_take_char(const char **at, char c)
{
	*at = header_skip_white(*at);
	if (**at != c)
		return false;
	*at = header_skip_white(*at + 1);
	return true;
}

/* Returns the end of a string or character that begins at @at; a line ends it, too. */
static char *skip_quoted(char *at)
{
	char quote = *at++;

	while (*at && *at != quote && *at != '\n') {
		if (*at == '\\' && at[1])
			at++;
		at++;
	}
	return *at == quote ? at + 1 : at;
}

static void blank_comments(char *at)
{
	while (*at) {
		bool to_line_end = at[0] == '/' && at[1] == '/';
		char *end;

		if (*at == '"' || *at == '\'') {
			at = skip_quoted(at);
		} else if (to_line_end || (at[0] == '/' && at[1] == '*')) {
			end = to_line_end ? at + strcspn(at, "\n") : strstr(at + 2, "*/");
			if (!to_line_end)
				end = end ? end + 2 : at + strlen(at);
			for (; at < end; at++)
				if (*at != '\n')
					*at = ' ';
		} else {
			at++;
		}
	}
}

size_t trace_header_close(const char *text, size_t open)
{
	int depth = 0;

	for (const char *at = text + open; *at; ) {
		if (*at == '"' || *at == '\'') {
			at = skip_quoted((char *)at);
			continue;
		}
		depth += *at == '(';
		if (*at++ == ')' && !--depth)
			return at - text;
	}
	return 0;
}

size_t trace_header_line(const struct trace_header *header, size_t place)
{
	size_t line = 1;

	for (size_t i = 0; i < place && header->text[i]; i++)
		line += header->text[i] == '\n';
	return line;
}

char *trace_header_excerpt(const struct trace_header *header, size_t line)
{
	const char *at = header->text, *end;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	while (--line && (at = strchr(at, '\n')))
		at++;
	if (!at)
		return strdup("");
	end = at + strcspn(at, "\n");
	while (at < end && isspace((unsigned char)*at))
		at++;
	while (end > at && (isspace((unsigned char)end[-1]) || end[-1] == '\\'))
		end--;
	for (; at < end; at++) {
		bool is_blank = isspace((unsigned char)*at) || iscntrl((unsigned char)*at);

		if (!is_blank || !isspace((unsigned char)at[1]))
			strbuf_addch(&text, is_blank ? ' ' : *at);
	}
	return text.failed ? NULL : strdup(strbuf_str(&text));
}

/* Whether a macro declares an event or a class. */
static bool is_event_macro(struct header_word macro, bool *ret_of_class, bool *ret_is_class)
{
	*ret_is_class = header_word_begins(macro, "DECLARE_EVENT_") && macro.len > 5 &&
		!memcmp(macro.text + macro.len - 5, "CLASS", 5);
	*ret_of_class = header_word_begins(macro, "DEFINE_EVENT");
	if (*ret_is_class || *ret_of_class)
		return !header_word_is(macro, "DEFINE_EVENT_NOP");
	return header_word_begins(macro, "TRACE_EVENT") && !header_word_is(macro, "TRACE_EVENT_FLAGS") &&
		!header_word_is(macro, "TRACE_EVENT_PERF_PERM") && !header_word_is(macro, "TRACE_EVENT_NOP");
}

static void find_parts(const struct trace_header *header, struct header_event *event, size_t begin,
		       size_t end)
{
	static const char *const names[PARTS_NR] = {
		[PART_PROTO] = "TP_PROTO", [PART_ENTRY] = "TP_STRUCT__entry",
		[PART_ASSIGN] = "TP_fast_assign", [PART_PRINT] = "TP_printk",
	};
	struct header_part whole = { begin, end - begin };

	for (int kind = 0; kind < PARTS_NR; kind++) {
		size_t at = trace_header_find_word(header, &whole, begin, names[kind]), open, close;

		if (!at)
			continue;
		open = header_skip_white(header->text + at + strlen(names[kind])) - header->text;
		close = header->text[open] == '(' ? trace_header_close(header->text, open) : 0;
		if (close && close <= end)
			event->parts[kind] = (struct header_part){ open + 1, close - open - 2 };
	}
}

static bool header_add_event(struct trace_header *header, struct header_event event,
		      struct header_word system, struct header_word name, struct header_word class)
{
	event.system = strndup(system.text, system.len);
	event.name = strndup(name.text, name.len);
	event.class_name = strndup(class.text, class.len);
	if (event.system && event.name && event.class_name && array_push(&header->events, event))
		return true;
	free(event.system);
	free(event.name);
	free(event.class_name);
	return false;
}

/* "#define NAME(a, name, ...) DEFINE_EVENT(class, name, ...)" */
struct header_alias {
	struct header_word macro, class;
	size_t argument;	/* which argument of the macro is the name */
};

struct aliases {
	struct header_alias *items;
	size_t nr, alloc;
};

/* If a macro with the parameters from @params on expands to a DEFINE_EVENT(), add it. */
static bool take_alias(struct aliases *aliases, struct header_word name, const char *params,
		       const char *body)
{
	struct header_alias alias = { .macro = name };
	struct header_word word, param;
	bool of_class, is_class;

	body = header_skip_white(body);
	word = header_take_word(&body);
	if (!is_event_macro(word, &of_class, &is_class) || !of_class ||
	    !header_take_char(&body, '('))
		return true;
	alias.class = header_take_word(&body);
	if (!header_take_char(&body, ','))
		return true;
	word = header_take_word(&body);
	body = header_skip_white(body);
	if (*body != ',' && *body != ')')
		return true;
	for (params++; ; alias.argument++) {
		params = header_skip_white(params);
		param = header_take_word(&params);
		if (param.len == word.len && !memcmp(param.text, word.text, word.len))
			return array_push(aliases, alias);
		if (!header_take_char(&params, ','))
			return true;
	}
}

/* Returns where the directive at @at, "#...", ends: lines that end in '\' go on. */
static const char *directive_end(const char *at)
{
	for (; *at && *at != '\n'; at++)
		if (at[0] == '\\' && at[1])
			at++;
	return at;
}

/* Handle a directive; returns false when memory is out. */
static bool take_directive(struct trace_header *header, struct aliases *aliases, const char *at,
			   struct header_word *system)
{
	const char *end = directive_end(at), *params, *body;
	struct header_macro macro = { 0 };
	struct header_word word;

	at = header_skip_white(at + 1);
	word = header_take_word(&at);
	if (!header_word_is(word, "define"))
		return true;
	at = header_skip_white(at);
	word = header_take_word(&at);
	params = body = at;
	if (*at == '(') {
		size_t close = trace_header_close(header->text, at - header->text);

		body = close ? header->text + close : end;
		if (body < end && !take_alias(aliases, word, params, body))
			return false;
	}
	if (body >= end)
		return true;
	if (header_word_is(word, "TRACE_SYSTEM")) {
		body = header_skip_white(body);
		*system = header_take_word(&body);
		return true;
	}
	macro.name = strndup(word.text, word.len);
	macro.body = (struct header_part){ body - header->text, end - body };
	if (macro.name && array_push(&header->macros, macro))
		return true;
	free(macro.name);
	return false;
}

/* "NAME(a, name)" of an alias; sets *@name to its argument. */
static const struct header_alias *alias_at(const struct aliases *aliases, struct header_word macro,
					   const char *at, struct header_word *name)
{
	for (size_t i = 0; i < aliases->nr; i++) {
		const struct header_alias *alias = &aliases->items[i];

		if (alias->macro.len != macro.len ||
		    memcmp(alias->macro.text, macro.text, macro.len) ||
		    !header_take_char(&at, '('))
			continue;
		*name = header_take_word(&at);
		for (size_t nr = 0; nr < alias->argument; nr++) {
			at += strcspn(at, ",)");
			if (!header_take_char(&at, ','))
				return NULL;
			*name = header_take_word(&at);
		}
		return name->len ? alias : NULL;
	}
	return NULL;
}

DEFINE_COMPARISON(compare_macros, struct header_macro, strcmp(x->name, y->name))

/* The number of line ends between two addresses. */
static size_t count_lines(const char *from, const char *to)
{
	size_t nr = 0;

	while (from < to)
		nr += *from++ == '\n';
	return nr;
}

/* Add the event that line number @first begins; *@end is the text behind it. */
static bool header_take_event(struct trace_header *header, const struct aliases *aliases,
			      const char *line, struct header_word system, size_t first,
			      const char **end)
{
	const char *at = line, *open;
	struct header_word macro = header_take_word(&at), name, class;
	struct header_event event = { 0 };
	const struct header_alias *alias;
	bool of_class = false;
	size_t close;

	open = header_skip_white(at);
	if (!macro.len || *open != '(')
		return true;
	alias = alias_at(aliases, macro, open, &name);
	if (alias) {
		class = alias->class;
	} else if (is_event_macro(macro, &of_class, &event.is_class)) {
		at = header_skip_white(open + 1);
		class = name = header_take_word(&at);
		if (of_class && header_take_char(&at, ','))
			name = header_take_word(&at);
		else if (of_class)
			return true;
	} else {
		return true;
	}
	if (!name.len)
		return true;
	close = trace_header_close(header->text, open - header->text);
	event.line = event.last_line = first;
	if (close) {
		event.last_line += count_lines(line, header->text + close);
		find_parts(header, &event, open - header->text, close);
		*end = header->text + close;
	}
	return header_add_event(header, event, system, name, class);
}

static bool take_all(struct trace_header *header, struct aliases *aliases)
{
	struct header_word system = { "", 0 };
	size_t line = 1;

	for (const char *at = header->text; at; ) {
		const char *begin = at, *end;

		while (*at == ' ' || *at == '\t')
			at++;
		end = at;
		if (*at == '#') {
			if (!take_directive(header, aliases, at, &system))
				return false;
			end = directive_end(at);
		} else if (!header_take_event(header, aliases, at, system, line, &end)) {
			return false;
		}
		at = strchr(end, '\n');
		at = at ? at + 1 : NULL;
		if (at)
			line += count_lines(begin, at);
	}
	if (header->macros.nr)
		qsort(header->macros.items, header->macros.nr, sizeof(struct header_macro),
		      compare_macros);
	return true;
}

struct error *trace_header_create(const char *text, struct trace_header **ret)
{
	_cleanup_(trace_header) struct trace_header *header = calloc(1, sizeof(*header));
	struct aliases aliases = { 0 };
	bool taken;

	if (header)
		header->text = strdup(text);
	if (!header || !header->text)
		return &error_no_memory;
	blank_comments(header->text);
	taken = take_all(header, &aliases);
	free(aliases.items);
	if (!taken)
		return &error_no_memory;
	*ret = take_ptr(header);
	return NULL;
}

void trace_header_destroy(struct trace_header *header)
{
	if (!header)
		return;
	for (size_t i = 0; i < header->events.nr; i++) {
		free(header->events.items[i].system);
		free(header->events.items[i].name);
		free(header->events.items[i].class_name);
	}
	for (size_t i = 0; i < header->macros.nr; i++)
		free(header->macros.items[i].name);
	free(header->events.items);
	free(header->macros.items);
	free(header->text);
	free(header);
}

const struct header_part *trace_header_part(const struct trace_header *header,
					    const struct header_event *event,
					    enum header_part_kind kind)
{
	if (event->parts[kind].place)
		return &event->parts[kind];
	for (size_t i = 0; i < header->events.nr; i++) {
		const struct header_event *of = &header->events.items[i];

		if (!strcmp(of->name, event->class_name) && !strcmp(of->name, of->class_name) &&
		    of->parts[kind].place)
			return &of->parts[kind];
	}
	return NULL;
}

size_t trace_header_find_word(const struct trace_header *header, const struct header_part *part,
			      size_t from, const char *word)
{
	size_t len = strlen(word);

	for (size_t at = from; at + len <= part->place + part->len; at++)
		if (!memcmp(header->text + at, word, len) &&
		    !is_header_char(header->text[at + len]) &&
		    (!at || !is_header_char(header->text[at - 1])))
			return at;
	return 0;
}

/* Append the bodies of the macros called @word that were not added before. */
static void add_macro(const struct trace_header *header, struct header_word word, bool *added,
		      struct strbuf *out)
{
	_cleanup_free_ char *name = strndup(word.text, word.len);
	const struct header_macro key = { .name = name };
	const struct header_macro *found;
	size_t i;

	out->failed |= !name;
	if (!name || !header->macros.nr)
		return;
	found = bsearch(&key, header->macros.items, header->macros.nr, sizeof(key), compare_macros);
	if (!found)
		return;
	i = found - header->macros.items;
	while (i && !strcmp(header->macros.items[i - 1].name, name))
		i--;
	for (; i < header->macros.nr && !strcmp(header->macros.items[i].name, name); i++) {
		const struct header_macro *macro = &header->macros.items[i];

		if (added[i])
			continue;
		added[i] = true;
		strbuf_addch(out, '\n');
		strbuf_add(out, header->text + macro->body.place, macro->body.len);
	}
}

char *trace_header_expand(const struct trace_header *header, const struct header_part *part)
{
	_cleanup_free_ bool *added = calloc(header->macros.nr + 1, sizeof(*added));
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (!added)
		return NULL;
	strbuf_add(&text, header->text + part->place, part->len);
	/* The text grows while it is read, until it has all that it names. */
	for (size_t i = 0; i < text.len && !text.failed; ) {
		const char *at = text.data + i;
		struct header_word word = header_take_word(&at);

		i += word.len ? word.len : 1;
		if (word.len)
			add_macro(header, word, added, &text);
	}
	for (size_t i = 0; i + 1 < text.len; i++)
		if (text.data[i] == '\\' && text.data[i + 1] == '\n')
			text.data[i] = ' ';
	return text.failed ? NULL : take_ptr(text.data);
}
