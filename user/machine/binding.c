// SPDX-License-Identifier: GPL-2.0
#include "machine/binding.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

static void binding_words_deinit(struct binding_words *words)
{
	for (size_t i = 0; i < words->nr; i++) {
		free(words->items[i].name);
		free(words->items[i].value);
	}
	free(words->items);
}

static void binding_event_deinit(struct binding_event *e)
{
	for (size_t i = 0; i < e->nr_by; i++)
		free(e->by[i]);
	free(e->name);
	free(e->system);
	free(e->event);
	free(e->filter);
}

void binding_destroy(struct binding *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->events.nr; i++)
		binding_event_deinit(&b->events.items[i]);
	free(b->events.items);
	binding_words_deinit(&b->atoms);
	binding_words_deinit(&b->constants);
	binding_words_deinit(&b->lacks);
	free(b->description);
	model_text_deinit(&b->text);
	free(b);
}

const struct binding_word *binding_find(const struct binding_words *words, const char *name)
{
	for (size_t i = 0; i < words->nr; i++)
		if (!strcmp(words->items[i].name, name))
			return &words->items[i];
	return NULL;
}

/* A line while it is parsed. */
struct binding_line {
	struct binding *b;
	const char *text;	/* the whole file */
	size_t pos, end;
	bool has_key;		/* the file has a key */
};

static void binding_skip(struct binding_line *l)
{
	while (l->pos < l->end && isspace((unsigned char)l->text[l->pos]))
		l->pos++;
}

static size_t binding_word_length(const struct binding_line *l)
{
	size_t len = 0;

	while (l->pos + len < l->end && !isspace((unsigned char)l->text[l->pos + len]))
		len++;
	return len;
}

/* Skip @word, if it is next. */
static bool binding_take(struct binding_line *l, const char *word)
{
	size_t len;

	binding_skip(l);
	len = binding_word_length(l);
	if (len != strlen(word) || strncmp(l->text + l->pos, word, len))
		return false;
	l->pos += len;
	return true;
}

static struct error *binding_copy(const char *text, size_t len, char **ret)
{
	*ret = strndup(text, len);
	return *ret ? NULL : &error_no_memory;
}

/* The rest of the line, without blanks at its end. */
static struct error *binding_take_rest(struct binding_line *l, const char *what, char **ret)
{
	size_t end = l->end;

	binding_skip(l);
	while (end > l->pos && isspace((unsigned char)l->text[end - 1]))
		end--;
	if (end == l->pos)
		return model_text_error(&l->b->text, l->pos, "%s is missing here", what);
	l->end = end;
	return binding_copy(l->text + l->pos, end - l->pos, ret);
}

static bool binding_is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A name as in C, with "()" behind it if @call. */
static struct error *binding_take_name(struct binding_line *l, const char *what, bool call,
				       char **ret)
{
	size_t start, len;

	binding_skip(l);
	start = l->pos;
	while (l->pos < l->end && binding_is_name(l->text[l->pos]))
		l->pos++;
	len = l->pos - start;
	if (!len || isdigit((unsigned char)l->text[start]))
		return model_text_error(&l->b->text, start, "The name of %s is missing here", what);
	if (call && l->end - l->pos >= 2 && !strncmp(l->text + l->pos, "()", 2)) {
		l->pos += 2;
		len += 2;
	}
	return binding_copy(l->text + start, len, ret);
}

static struct error *binding_want(struct binding_line *l, char sign)
{
	binding_skip(l);
	if (l->pos < l->end && l->text[l->pos] == sign) {
		l->pos++;
		return NULL;
	}
	return model_text_error(&l->b->text, l->pos, "'%c' is missing here", sign);
}

static struct error *binding_parse_key(struct binding_line *l)
{
	static const char *const names[] = {
		[MACHINE_KEY_NONE] = "none", [MACHINE_KEY_CPU] = "cpu", [MACHINE_KEY_TASK] = "task",
		[MACHINE_KEY_FIELDS] = "fields",
	};

	if (l->has_key)
		return model_text_error(&l->b->text, l->pos, "The binding has a key already");
	l->has_key = true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!binding_take(l, names[i]))
			continue;
		l->b->key = i;
		return NULL;
	}
	binding_skip(l);
	return model_text_error(&l->b->text, l->pos, "The key is one of task, cpu, none and fields");
}

static struct error *binding_parse_by(struct binding_line *l, struct binding_event *e)
{
	struct error *err = NULL;
	bool more = true;

	binding_skip(l);
	e->by_pos = l->pos;
	while (!err && more) {
		if (e->nr_by == MACHINE_PARTS_MAX)
			return model_text_error(&l->b->text, l->pos, "A key has %d fields at most",
						MACHINE_PARTS_MAX);
		err = binding_take_name(l, "a field", false, &e->by[e->nr_by]);
		if (err)
			return err;
		e->nr_by++;
		binding_skip(l);
		more = l->pos < l->end && l->text[l->pos] == ',';
		l->pos += more;
	}
	return err;
}

static struct error *binding_parse_start(struct binding_line *l, struct binding_event *e)
{
	if (binding_take(l, "after"))
		e->start = MACHINE_STARTS_AFTER;
	else if (binding_take(l, "before"))
		e->start = MACHINE_STARTS_BEFORE;
	else
		return model_text_error(&l->b->text, l->pos,
					"'starts' is followed by 'after' or 'before'");
	return NULL;
}

static struct error *binding_parse_clauses(struct binding_line *l, struct binding_event *e)
{
	struct error *err = NULL;

	while (!err) {
		binding_skip(l);
		if (l->pos == l->end)
			return NULL;
		if (!e->nr_by && binding_take(l, "by")) {
			err = binding_parse_by(l, e);
		} else if (!e->start && binding_take(l, "starts")) {
			err = binding_parse_start(l, e);
		} else if (binding_take(l, "if")) {
			binding_skip(l);
			e->filter_pos = l->pos;
			return binding_take_rest(l, "A filter", &e->filter);
		} else {
			err = model_text_error(&l->b->text, l->pos,
					       "'by', 'starts' or 'if' was expected here");
		}
	}
	return err;
}

/* The parts of a key must be the same in all events. */
static struct error *binding_check_by(const struct binding_line *l, const struct binding_event *e)
{
	struct binding *b = l->b;

	switch (b->key) {
	case MACHINE_KEY_NONE:
		if (e->nr_by)
			return model_text_error(&b->text, e->by_pos, "With 'key none', an event "
						"has no 'by' fields");
		return NULL;
	case MACHINE_KEY_FIELDS:
		if (!e->nr_by)
			return model_text_error(&b->text, e->pos, "The event needs 'by' and the "
						"fields of its key");
		if (b->nr_by && b->nr_by != e->nr_by)
			return model_text_error(&b->text, e->by_pos, "The events before have keys of "
						"%zu fields", b->nr_by);
		b->nr_by = e->nr_by;
		return NULL;
	default:
		if (e->nr_by > 1)
			return model_text_error(&b->text, e->by_pos, "A task or a CPU is found by one "
						"field");
		return NULL;
	}
}

static struct error *binding_parse_event(struct binding_line *l)
{
	struct binding *b = l->b;
	struct binding_event *e;
	struct error *err;

	binding_skip(l);
	if (b->events.nr == MACHINE_SOURCES_MAX)
		return model_text_error(&b->text, l->pos, "A binding has %d events at most",
					MACHINE_SOURCES_MAX);
	if (!l->has_key)
		return model_text_error(&b->text, l->pos, "'key' must stand before the events");
	if (!array_push(&b->events, ((struct binding_event){ .pos = l->pos })))
		return &error_no_memory;
	e = &b->events.items[b->events.nr - 1];
	err = binding_take_name(l, "an event", false, &e->name);
	if (!err)
		err = binding_want(l, '=');
	binding_skip(l);
	e->event_pos = l->pos;
	if (!err)
		err = binding_take_name(l, "a tracepoint's system", false, &e->system);
	if (!err)
		err = binding_want(l, ':');
	if (!err)
		err = binding_take_name(l, "a tracepoint", false, &e->event);
	if (!err)
		err = binding_parse_clauses(l, e);
	return err ? err : binding_check_by(l, e);
}

static struct error *binding_parse_number(struct binding_line *l, struct binding_word *word)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	const char *p = word->value;

	while (isdigit((unsigned char)*p)) {
		if (__builtin_mul_overflow(word->number, 10, &word->number) ||
		    __builtin_add_overflow(word->number, *p - '0', &word->number))
			return model_text_error(&l->b->text, word->value_pos,
						"The number is larger than 64 bits");
		p++;
	}
	for (size_t i = 0; p != word->value && i < ARRAY_SIZE(units); i++) {
		if (strcmp(p, units[i].name))
			continue;
		if (__builtin_mul_overflow(word->number, units[i].ns, &word->number))
			return model_text_error(&l->b->text, word->value_pos,
						"The time is longer than 64 bits of ns");
		return NULL;
	}
	return model_text_error(&l->b->text, word->value_pos,
				"A constant is a number, with ns, us, ms or s if it is a time");
}

/* Parse "NAME = VALUE"; @between, if not NULL, is expected instead of '='. */
static struct error *binding_parse_word(struct binding_line *l, const char *what,
					const char *between, struct binding_words *words)
{
	struct binding_word word = { 0 };
	struct error *err;

	binding_skip(l);
	word.pos = l->pos;
	err = binding_take_name(l, what, true, &word.name);
	if (!err && binding_find(words, word.name))
		err = model_text_error(&l->b->text, word.pos, "'%s' stands here twice", word.name);
	if (!err && !between)
		err = binding_want(l, '=');
	else if (!err && !binding_take(l, between))
		err = model_text_error(&l->b->text, l->pos, "'%s' is missing here", between);
	binding_skip(l);
	word.value_pos = l->pos;
	if (!err)
		err = binding_take_rest(l, between ? "The reason" : "A value", &word.value);
	if (!err && words == &l->b->constants)
		err = binding_parse_number(l, &word);
	if (!err && array_push(words, word))
		return NULL;
	free(word.name);
	free(word.value);
	return err ? err : &error_no_memory;
}

static struct error *binding_parse_line(struct binding_line *l)
{
	struct binding *b = l->b;
	struct error *err = NULL;
	size_t start;

	binding_skip(l);
	start = l->pos;
	if (l->pos == l->end || l->text[l->pos] == '#')
		return NULL;
	if (binding_take(l, "event"))
		return binding_parse_event(l);
	if (binding_take(l, "atom"))
		return binding_parse_word(l, "an atom", NULL, &b->atoms);
	if (binding_take(l, "constant"))
		return binding_parse_word(l, "a constant", NULL, &b->constants);
	if (binding_take(l, "lacks"))
		return binding_parse_word(l, "the missing feature", "because", &b->lacks);
	if (!b->description && binding_take(l, "description"))
		return binding_take_rest(l, "The description", &b->description);
	if (binding_take(l, "key")) {
		err = binding_parse_key(l);
		binding_skip(l);
		if (!err && l->pos != l->end)
			err = model_text_error(&b->text, l->pos, "Nothing follows the key");
		return err;
	}
	return model_text_error(&b->text, start, "A line begins with description, key, event, atom, "
				"constant or lacks");
}

struct error *binding_parse(const char *path, const char *text, size_t len, struct binding **ret)
{
	_cleanup_(binding) struct binding *b = calloc(1, sizeof(*b));
	struct binding_line l = { .b = b };
	struct error *err;

	if (!b)
		return &error_no_memory;
	err = model_text_init(&b->text, path, text, len);
	l.text = b->text.text;
	for (size_t at = 0; !err && at < len; at = l.end + 1) {
		size_t end = at + strcspn(l.text + at, "\n");

		l.pos = at;
		l.end = end;
		err = binding_parse_line(&l);
		l.end = end;
	}
	if (!err && !b->events.nr)
		err = model_text_error(&b->text, len, "The binding has no events");
	if (err)
		return err;
	*ret = take_ptr(b);
	return NULL;
}
