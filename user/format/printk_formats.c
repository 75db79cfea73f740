// SPDX-License-Identifier: GPL-2.0
#include "format/printk_formats.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

struct printk_format {
	uint64_t address;
	char *text;
};

void printk_formats_deinit(struct printk_formats *formats)
{
	array_free_each(formats, .text);
	*formats = (struct printk_formats){ 0 };
}

/* Parse one line up to @end; quotes and a "\n" at its end are not part of the string. */
static struct error *printk_take_line(struct printk_formats *formats, const char *line,
				      const char *end)
{
	struct printk_format item;
	char *colon;

	item.address = strtoull(line, &colon, 16);
	if (colon == line || end - colon < 3 || memcmp(colon, " : ", 3))
		return NULL;
	line = colon + 3;
	if (line < end && *line == '"')
		line++;
	if (line < end && end[-1] == '"')
		end--;
	if (end - line >= 2 && !memcmp(end - 2, "\\n", 2))
		end -= 2;
	item.text = strndup(line, end - line);
	if (!item.text || !array_push(formats, item)) {
		free(item.text);
		return &error_no_memory;
	}
	return NULL;
}

DEFINE_COMPARISON(compare_formats, struct printk_format, array_order(x->address, y->address))

struct error *printk_formats_parse(struct printk_formats *formats, const char *text)
{
	while (*text) {
		const char *end = strchrnul(text, '\n');
		struct error *err = printk_take_line(formats, text, end);

		if (err)
			return err;
		text = *end ? end + 1 : end;
	}
	array_sort(formats, compare_formats);
	return NULL;
}

const char *printk_formats_find(const struct printk_formats *formats, uint64_t address)
{
	const struct printk_format key = { .address = address };
	const struct printk_format *found;

	if (!formats->nr)
		return NULL;
	found = bsearch(&key, formats->items, formats->nr, sizeof(key), compare_formats);
	return found ? found->text : NULL;
}
