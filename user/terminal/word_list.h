/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of words in one argument, such as "avg,max".
 */
#ifndef KTRACE_TERMINAL_WORD_LIST_H
#define KTRACE_TERMINAL_WORD_LIST_H

#include "lib/error.h"

/* Takes one word, which is valid until it returns. */
typedef struct error *(*word_take_fn)(void *data, const char *word);

/*
 * Give each word of @text to @take, with @data, up to the first error, which is returned.  Any
 * number of the characters in @separators may stand between words.
 */
struct error *word_list_each(const char *text, const char *separators, word_take_fn take,
			     void *data);

#endif
