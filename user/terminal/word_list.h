/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keywords of a fixed set that users type, alone or as a list in one argument, such as "avg,max".
 */
#ifndef KTRACE_TERMINAL_WORD_LIST_H
#define KTRACE_TERMINAL_WORD_LIST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/array.h"
#include "lib/error.h"
#include "lib/strbuf.h"

/* Handles one word, which is valid until it returns. */
typedef struct error *(*word_take_fn)(void *data, const char *word);

/*
 * Pass each word of @text to @take, with @data, up to the first error, which is returned.  Any
 * number of the characters in @separators may separate words.
 */
struct error *word_list_each(const char *text, const char *separators, word_take_fn take,
			     void *data);

/* Whether @candidate is similar enough to @word for a "did you mean". */
bool word_is_near(const char *word, const char *candidate);

/*
 * Returns @candidate if it is similar to @word and nearer than @best, otherwise @best, which
 * may be NULL.
 */
const char *word_nearer(const char *word, const char *best, const char *candidate);

/* Whether @word is one of "a,b,c". */
bool word_in_list(const char *list, const char *word);

/*
 * A table of keywords.  Each row begins with the keyword, a const char *.  It may be nothing else,
 * or a struct with the keyword's meaning.  "a|b" is the keyword a with the alias b; NULL is a row
 * without a keyword.  Case is ignored.
 */
struct word_table {
	const void *rows;
	size_t nr;
	size_t size;	/* bytes of a row */
};

#define WORD_TABLE(rows)	{ rows, ARRAY_SIZE(rows), sizeof((rows)[0]) }
#define WORDS(rows)	(&(const struct word_table)WORD_TABLE(rows))

#define WORD_NONE	UINT_MAX

/* The number of the row with that keyword, or WORD_NONE. */
unsigned int word_find(const struct word_table *table, const char *name);

/* The keyword that is most similar to @name; NULL: none is similar. */
const char *word_nearest(const struct word_table *table, const char *name);

/* Append "a, b and c", where @last is " and ".  Equal keywords of adjacent rows are listed once. */
void word_add_names(const struct word_table *table, const char *last, struct strbuf *out);

/* EINVAL: "@sentence 'name'", with a similar keyword, and the list of all, as the next step. */
struct error *word_unknown(const struct word_table *table, const char *sentence, const char *name);

/* Set *@ret to the row of a keyword; otherwise the error of word_unknown(). */
struct error *word_parse(const struct word_table *table, const char *sentence, const char *name,
			 unsigned int *ret);

/*
 * Append the rows of keywords, separated by ',' or ' ', to the *@nr in @rows, which has room for
 * all rows of the table.  A row that is there already is not appended again.
 */
struct error *word_parse_list(const struct word_table *table, const char *sentence,
			      const char *list, unsigned int *rows, size_t *nr);

#endif
