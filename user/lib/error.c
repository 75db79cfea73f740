// SPDX-License-Identifier: GPL-2.0
#include "lib/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


struct error error_no_memory = { ENOMEM, "Out of memory", NULL };

static struct error *error_create(int code, char *message)
{
	struct error *err = message ? malloc(sizeof(*err)) : NULL;

	if (!err) {
		free(message);
		return &error_no_memory;
	}
	*err = (struct error){ .code = code, .message = message };
	return err;
}

struct error *error_new(int code, const char *fmt, ...)
{
	char *message;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&message, fmt, ap) < 0)
		message = NULL;
	va_end(ap);
	return error_create(code, message);
}

struct error *error_errno(int code, const char *fmt, ...)
{
	char *text, *message;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!text)
		return &error_no_memory;
	if (asprintf(&message, "%s: %s", text, strerror(code)) < 0)
		message = NULL;
	free(text);
	return error_create(code, message);
}

struct error *error_prefix(struct error *err, const char *fmt, ...)
{
	char *text, *message;
	va_list ap;

	if (!err || err == &error_no_memory)
		return err;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text && asprintf(&message, "%s: %s", text, err->message) >= 0) {
		free(err->message);
		err->message = message;
	}
	free(text);
	return err;
}

struct error *error_hint(struct error *err, const char *fmt, ...)
{
	va_list ap;
	char *hint;

	if (!err || err == &error_no_memory)
		return err;
	va_start(ap, fmt);
	if (vasprintf(&hint, fmt, ap) < 0)
		hint = NULL;
	va_end(ap);
	if (hint) {
		free(err->hint);
		err->hint = hint;
	}
	return err;
}

void error_free(struct error *err)
{
	if (!err || err == &error_no_memory)
		return;
	free(err->message);
	free(err->hint);
	free(err);
}
