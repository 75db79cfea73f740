// SPDX-License-Identifier: GPL-2.0
#include "machine/model_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "spec/caret.h"

void model_text_deinit(struct model_text *text)
{
	free(text->path);
	free(text->text);
	*text = (struct model_text){ 0 };
}

struct error *model_text_init(struct model_text *ret, const char *path, const char *text,
			      size_t len)
{
	if (len > MODEL_TEXT_MAX)
		return error_new(EINVAL, "%s is larger than %d bytes, so it is no model", path,
				 MODEL_TEXT_MAX);
	if (memchr(text, '\0', len))
		return error_new(EINVAL, "%s has bytes that are no text, so it is no model", path);
	ret->path = strdup(path);
	ret->text = strndup(text, len);
	ret->len = len;
	if (ret->path && ret->text)
		return NULL;
	model_text_deinit(ret);
	return &error_no_memory;
}

/* The number of the line of @pos, from 1 on, and the position of its beginning. */
static unsigned int model_text_line(const struct model_text *text, size_t pos, size_t *ret_start)
{
	unsigned int line = 1;

	*ret_start = 0;
	for (size_t i = 0; i < pos && i < text->len; i++) {
		if (text->text[i] != '\n')
			continue;
		line++;
		*ret_start = i + 1;
	}
	return line;
}

struct error *model_text_error(const struct model_text *text, size_t pos, const char *fmt, ...)
{
	size_t start;
	unsigned int number = model_text_line(text, pos, &start);
	_cleanup_free_ char *message = NULL, *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&message, fmt, ap) < 0)
		message = NULL;
	va_end(ap);
	line = strndup(text->text + start, strcspn(text->text + start, "\n"));
	if (!message || !line)
		return &error_no_memory;
	return caret_error(line, pos - start, "%s:%u: %s", text->path, number, message);
}

struct error *model_text_prefix(const struct model_text *text, size_t pos, struct error *err)
{
	size_t start;

	return error_prefix(err, "%s:%u", text->path, model_text_line(text, pos, &start));
}
