// SPDX-License-Identifier: GPL-2.0
#include "terminal/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/array.h"

void words_add(struct words *words, const char *word)
{
	words->failed |= !array_push(words, (char *)word);
}

void words_addf(struct words *words, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (text && array_push(&words->own, text)) {
		words_add(words, text);
		return;
	}
	words->failed = true;
	free(text);
}

void words_add_option(struct words *words, const char *option, const char *value)
{
	if (!value)
		return;
	words_add(words, option);
	words_add(words, value);
}

void words_add_all(struct words *words, char *const *list)
{
	for (; list && *list; list++)
		words_add(words, *list);
}

char **words_argv(struct words *words)
{
	words_add(words, NULL);
	if (words->failed)
		return NULL;
	words->nr--;
	return words->items;
}

void words_deinit(struct words *words)
{
	array_free_each(&words->own);
	free(words->items);
	*words = (struct words){ 0 };
}
