// SPDX-License-Identifier: GPL-2.0
#include "terminal/word_list.h"

#include <string.h>

#include "lib/cleanup.h"

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
