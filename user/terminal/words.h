/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A command line under construction.  Words are borrowed.  A lack of memory is stored in `failed`
 * and checked once, where the command line is used.
 */
#ifndef KTRACE_TERMINAL_WORDS_H
#define KTRACE_TERMINAL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/array.h"
#include "lib/cleanup.h"

struct words {
	char **items;	/* execution must not change them; argv is not const in C */
	size_t nr, alloc;
	ARRAY_OF(char *) own;	/* of words_addf() */
	bool failed;
};

void words_add(struct words *words, const char *word);

/* Add a formatted word, which @words owns. */
void words_addf(struct words *words, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Add an option and its value; nothing if @value is NULL. */
void words_add_option(struct words *words, const char *option, const char *value);

/* Add all words up to NULL; @list may be NULL. */
void words_add_all(struct words *words, char *const *list);

/*
 * Returns the words with a NULL behind them, which is not counted, or NULL if memory is out.  They
 * are valid until the next word is added.
 */
char **words_argv(struct words *words);

void words_deinit(struct words *words);
DEFINE_CLEANUP(words, struct words, words_deinit)

#endif
