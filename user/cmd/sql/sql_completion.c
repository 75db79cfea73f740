// SPDX-License-Identifier: GPL-2.0
#include "cmd/sql/sql_completion.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

/* Names that a query can use, and what they are: tables come first. */
#define TABLES	"SELECT name FROM pragma_table_list WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
#define COLUMNS	"SELECT c.name FROM pragma_table_list t, pragma_table_xinfo(t.name, t.schema) c " \
		"WHERE t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"

struct word_search {
	sqlite3 *db;
	const char *prefix;
	bool quoted;			/* the word begins with a double quote */
	struct sql_completion *found;
};

void sql_completion_deinit(struct sql_completion *completion)
{
	for (size_t i = 0; i < completion->nr; i++)
		free(completion->items[i]);
	free(completion->items);
}

static bool is_word_character(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == ':' || c == '$' || (c & 0x80);
}

static bool needs_quotes(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return true;
	return !*name || isdigit((unsigned char)*name) || sqlite3_keyword_check(name, strlen(name));
}

static struct error *push_word(const struct word_search *search, char *word)
{
	for (size_t i = 0; word && i < search->found->nr; i++)
		if (!strcmp(search->found->items[i], word)) {
			free(word);
			return NULL;
		}
	if (word && array_push(search->found, word))
		return NULL;
	free(word);
	return &error_no_memory;
}

static bool begins_so(const struct word_search *search, const char *name)
{
	return !sqlite3_strnicmp(name, search->prefix, strlen(search->prefix));
}

static struct error *add_name(const struct word_search *search, const char *name)
{
	char *quoted, *word;

	if (!begins_so(search, name))
		return NULL;
	if (!search->quoted && !needs_quotes(name))
		return push_word(search, strdup(name));
	quoted = sqlite3_mprintf("\"%w\"", name);
	word = quoted ? strdup(quoted) : NULL;
	sqlite3_free(quoted);
	return push_word(search, word);
}

static struct error *complete_names(const struct word_search *search, const char *query)
{
	struct error *err = NULL;
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(search->db, query, -1, &statement, NULL))
		return error_new(EIO, "The tables cannot be listed: %s", sqlite3_errmsg(search->db));
	while (!err && sqlite3_step(statement) == SQLITE_ROW)
		err = add_name(search, (const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return err;
}

/* In the case in which the word was begun. */
static struct error *add_keywords(const struct word_search *search)
{
	bool upper = isupper((unsigned char)*search->prefix);
	struct error *err = NULL;

	for (int i = 0; !err && i < sqlite3_keyword_count(); i++) {
		const char *name;
		char *word;
		int len;

		sqlite3_keyword_name(i, &name, &len);
		word = strndup(name, len);
		for (char *c = word; c && *c && !upper; c++)
			*c = tolower((unsigned char)*c);
		if (word && !begins_so(search, word))
			free(word);
		else
			err = push_word(search, word);
	}
	return err;
}

static struct error *add_plain(const struct word_search *search, const char *const *words)
{
	struct error *err = NULL;

	for (; !err && *words; words++)
		if (begins_so(search, *words))
			err = push_word(search, strdup(*words));
	return err;
}

/* Find where the last word begins; false: it is a text, which nothing completes. */
static bool find_last_word(const char *line, size_t *ret_start, bool *ret_quoted)
{
	size_t at, len = strlen(line);
	char quote = '\0';

	for (at = 0; at < len; at++) {
		if (quote ? line[at] == quote : line[at] == '\'' || line[at] == '"') {
			quote = quote ? '\0' : line[at];
			*ret_start = at;
		}
	}
	*ret_quoted = quote == '"';
	if (quote)
		return *ret_quoted;
	while (at && is_word_character(line[at - 1]))
		at--;
	*ret_start = at;
	return true;
}

static struct error *find_names(const struct word_search *search)
{
	struct error *err = complete_names(search, TABLES);

	/* All columns and keywords would be too many. */
	if (err || (!*search->prefix && !search->quoted))
		return err;
	err = complete_names(search, COLUMNS);
	return err || search->quoted ? err : add_keywords(search);
}

static struct error *find_arguments(const struct word_search *search, const char *line)
{
	static const char *const modes[] = { "table", "csv", "json", NULL };

	if (!strncmp(line, ".mode ", 6))
		return add_plain(search, modes);
	return strncmp(line, ".schema ", 8) ? NULL : complete_names(search, TABLES);
}

static int words_ascend(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t common_bytes(const struct sql_completion *completion)
{
	size_t common = completion->nr ? strlen(completion->items[0]) : 0;

	for (size_t i = 1; i < completion->nr; i++)
		while (strncmp(completion->items[0], completion->items[i], common))
			common--;
	return common;
}

struct error *sql_completion_find(sqlite3 *db, const char *const *commands, const char *line,
				  struct sql_completion *ret)
{
	struct word_search search = { .db = db, .found = ret };
	struct error *err;

	if (*line == '.' && !strchr(line, ' ')) {
		search.prefix = line;
		err = add_plain(&search, commands);
	} else {
		if (!find_last_word(line, &ret->start, &search.quoted))
			return NULL;
		search.prefix = line + ret->start + search.quoted;
		err = *line == '.' ? find_arguments(&search, line) : find_names(&search);
	}
	if (err)
		return err;
	if (ret->nr)
		qsort(ret->items, ret->nr, sizeof(*ret->items), words_ascend);
	ret->common = common_bytes(ret);
	return NULL;
}
