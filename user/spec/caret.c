// SPDX-License-Identifier: GPL-2.0
#include "spec/caret.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "lib/strbuf.h"

/* The width of the part of a text that is shown, and the width before the caret. */
#define CARET_WIDTH 70
#define CARET_BEFORE 50

struct error *caret_error(const char *text, size_t pos, const char *fmt, ...)
{
	_cleanup_(strbuf) struct strbuf sb = STRBUF_INIT;
	size_t len = strlen(text), start = 0, end = len;
	_cleanup_free_ char *message = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&message, fmt, ap) < 0)
		message = NULL;
	va_end(ap);
	if (!message)
		return &error_no_memory;

	if (pos > len)
		pos = len;
	if (len > CARET_WIDTH) {
		start = pos > CARET_BEFORE ? pos - CARET_BEFORE : 0;
		end = start + CARET_WIDTH < len ? start + CARET_WIDTH : len;
	}
	strbuf_addf(&sb, "%s:\n    %s", message, start ? "..." : "");
	for (size_t i = start; i < end; i++)
		strbuf_addch(&sb, isprint((unsigned char)text[i]) ? text[i] : ' ');
	strbuf_addf(&sb, "%s\n    %*s^ here", end < len ? "..." : "",
		    (int)(pos - start + (start ? 3 : 0)), "");
	if (sb.failed)
		return &error_no_memory;
	return error_new(EINVAL, "%s", sb.data);
}

void scan_blanks(struct scan *scan)
{
	while (isspace((unsigned char)*scan->at))
		scan->at++;
}

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

size_t scan_word(const struct scan *scan)
{
	size_t n = 0;

	while (is_of_word(scan->at[n]))
		n++;
	return n;
}

bool scan_take(struct scan *scan, const char *token)
{
	size_t len = strlen(token);

	scan_blanks(scan);
	if (strncmp(scan->at, token, len) || (is_of_word(*token) && scan_word(scan) != len))
		return false;
	scan->at += len;
	return true;
}
