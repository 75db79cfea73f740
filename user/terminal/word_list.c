// SPDX-License-Identifier: GPL-2.0
#include "terminal/word_list.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "lib/cleanup.h"

/*
 * The number of letters to change, add or remove; UINT_MAX if the words are too different or too
 * long.  For "a|b", a counts.
 */
static unsigned int word_distance(const char *word, const char *candidate)
{
	size_t n = strlen(word), m = strcspn(candidate, "|");
	unsigned int row[64];

	if (m >= sizeof(row) / sizeof(row[0]) || n > 64)
		return UINT_MAX;
	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned int diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			unsigned int replace = diagonal + (word[i - 1] != candidate[j - 1]);
			unsigned int best = row[j] + 1;

			diagonal = row[j];
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = replace < best ? replace : best;
		}
	}
	return row[m] <= (n < 5 ? 1 : n < 12 ? 2 : 3) ? row[m] : UINT_MAX;
}

bool word_is_near(const char *word, const char *candidate)
{
	return word_distance(word, candidate) != UINT_MAX;
}

const char *word_nearer(const char *word, const char *best, const char *candidate)
{
	unsigned int distance = word_distance(word, candidate);

	if (distance == UINT_MAX || (best && word_distance(word, best) <= distance))
		return best;
	return candidate;
}

bool word_in_list(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (;;) {
		const char *comma = strchrnul(list, ',');

		if ((size_t)(comma - list) == len && !memcmp(list, word, len))
			return true;
		if (!*comma)
			return false;
		list = comma + 1;
	}
}

struct error *word_list_each(const char *text, const char *separators, word_take_fn take,
			     void *data)
{
	_cleanup_free_ char *copy = strdup(text);
	struct error *err = NULL;
	char *next;

	if (!copy)
		return &error_no_memory;
	for (char *word = strtok_r(copy, separators, &next); word && !err;
	     word = strtok_r(NULL, separators, &next))
		err = take(data, word);
	return err;
}

/* The word of a row, or "". */
static const char *word_at(const struct word_table *table, size_t row)
{
	const char *const *name = (const void *)((const char *)table->rows + row * table->size);

	return *name ? *name : "";
}

static int word_len(const char *word)
{
	return strcspn(word, "|");
}

static bool word_is(const char *word, const char *name)
{
	size_t len = strlen(name);

	for (;;) {
		size_t part = strcspn(word, "|");

		if (part && part == len && !strncasecmp(word, name, len))
			return true;
		if (!word[part])
			return false;
		word += part + 1;
	}
}

unsigned int word_find(const struct word_table *table, const char *name)
{
	for (size_t i = 0; i < table->nr; i++)
		if (word_is(word_at(table, i), name))
			return i;
	return WORD_NONE;
}

const char *word_nearest(const struct word_table *table, const char *name)
{
	const char *near = NULL;

	for (size_t i = 0; i < table->nr; i++)
		if (*word_at(table, i))
			near = word_nearer(name, near, word_at(table, i));
	return near;
}

void word_add_names(const struct word_table *table, const char *last, struct strbuf *out)
{
	const char *before = NULL, *word = NULL;

	for (size_t i = 0; i < table->nr; i++) {
		const char *next = word_at(table, i);

		if (!*next || (word && !strcmp(word, next)))
			continue;
		/* Only now is it known that the word before was not the last one. */
		if (word)
			strbuf_addf(out, "%s%.*s", before ? ", " : "", word_len(word), word);
		before = word;
		word = next;
	}
	if (word)
		strbuf_addf(out, "%s%.*s", before ? last : "", word_len(word), word);
}

struct error *word_unknown(const struct word_table *table, const char *sentence, const char *name)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	struct error *err = error_new(EINVAL, "%s '%s'", sentence, name);
	const char *near = word_nearest(table, name);

	word_add_names(table, " and ", &names);
	if (near)
		return error_hint(err, "Did you mean '%.*s'? There are %s", word_len(near), near,
				  strbuf_str(&names));
	return error_hint(err, "There are %s", strbuf_str(&names));
}

struct error *word_parse(const struct word_table *table, const char *sentence, const char *name,
			 unsigned int *ret)
{
	*ret = word_find(table, name);
	return *ret == WORD_NONE ? word_unknown(table, sentence, name) : NULL;
}

struct word_rows {
	const struct word_table *table;
	const char *sentence;
	unsigned int *rows;
	size_t *nr;
};

static struct error *word_add_row(void *data, const char *name)
{
	struct word_rows *r = data;
	unsigned int row;
	struct error *err = word_parse(r->table, r->sentence, name, &row);

	for (size_t i = 0; i < *r->nr && !err; i++)
		if (r->rows[i] == row)
			return NULL;
	if (!err)
		r->rows[(*r->nr)++] = row;
	return err;
}

struct error *word_parse_list(const struct word_table *table, const char *sentence,
			      const char *list, unsigned int *rows, size_t *nr)
{
	struct word_rows r = { table, sentence, rows, nr };

	return word_list_each(list, ", ", word_add_row, &r);
}
