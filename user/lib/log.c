// SPDX-License-Identifier: GPL-2.0
#include "lib/log.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/color.h"
#include "lib/error.h"
#include "lib/escape.h"

bool log_quiet;
int log_verbosity;
void (*log_before)(void);

/*
 * Only the indented lines of a message are its own.  A line end before anything else came in
 * with a name, and would make the rest look like a separate message, so it is escaped.
 */
static void add_message(struct strbuf *out, const char *text)
{
	while (*text) {
		const char *end = strchrnul(text, '\n');

		escape_terminal(out, text, end - text);
		if (!*end)
			break;
		strbuf_addstr(out, end[1] == ' ' || end[1] == '\t' || !end[1] ? "\n" : "\\n");
		text = end + 1;
	}
}

/* Lines are not broken on a narrower terminal, where they would become unreadable. */
#define LOG_COLUMNS_MIN	40
/* The additional indentation of a continued line. */
#define LOG_INDENT	4

/* The number of columns that a line may have; 0: no limit, since the output is no terminal. */
static size_t log_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < LOG_COLUMNS_MIN)
		return 0;
	return size.ws_col;
}

/* The size of the first word of @text.  A command in quotes, which readers copy, is one word. */
static size_t log_word(const char *text)
{
	const char *end = text + strspn(text, "(");

	if (*end == '\'') {
		do
			end = strchrnul(end + 1, '\'');
		while (*end && isalnum((unsigned char)end[1]));
		if (!*end)
			end = text;
	}
	return end - text + strcspn(end, " \n");
}

static size_t log_width(const char *text, size_t len)
{
	size_t width = 0;

	for (size_t i = 0; i < len; i++)
		width += (text[i] & 0xc0) != 0x80;
	return width;
}

/* Whether a line below the first one has a ^ that points into the line before. */
static bool log_points(const char *text)
{
	while ((text = strchr(text, '\n'))) {
		text += 1 + strspn(text + 1, " ");
		if (*text == '^')
			return true;
	}
	return false;
}

/* Append one line of @text, which begins in @column.  Returns the rest of the text. */
static const char *log_add_line(struct strbuf *out, const char *text, size_t column, size_t columns)
{
	size_t indent = strspn(text, " ") + LOG_INDENT;
	bool first = true;

	while (columns && *text && *text != '\n') {
		size_t spaces = strspn(text, " "), len = log_word(text + spaces);
		size_t width = log_width(text + spaces, len);

		if (!first && column + spaces + width > columns) {
			strbuf_addf(out, "\n%*s", (int)indent, "");
			column = indent;
			text += spaces;
			spaces = 0;
		}
		strbuf_add(out, text, spaces + len);
		column += spaces + width;
		text += spaces + len;
		first = false;
	}
	return text;
}

/* Add @text, whose first line begins in @column, broken between words. */
static void log_add_wrapped(struct strbuf *out, const char *text, size_t column)
{
	size_t columns = log_columns();
	bool points = log_points(text);

	text = log_add_line(out, text, column, columns);
	while (columns && !points && *text == '\n') {
		strbuf_addch(out, '\n');
		text = log_add_line(out, text + 1, 0, columns);
	}
	strbuf_addstr(out, text);
}

/* @role: the colour of "ktrace:" and @kind, which names the kind of message. */
static void log_line(enum color_role role, const char *kind, const char *fmt, va_list ap)
{
	_cleanup_(strbuf) struct strbuf line = STRBUF_INIT, wrapped = STRBUF_INIT;
	_cleanup_free_ char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	add_message(&line, color_message_on(role));
	strbuf_addf(&line, "ktrace:%s", kind);
	add_message(&line, color_message_off(role));
	strbuf_addch(&line, ' ');
	if (text)
		log_add_wrapped(&wrapped, text, strlen("ktrace: ") + strlen(kind));
	add_message(&line, strbuf_str(&wrapped));
	/* Keep results and messages in order when both go to the same place. */
	fflush(stdout);
	if (log_before)
		log_before();
	flockfile(stderr);
	fprintf(stderr, "%s\n", line.failed || wrapped.failed || !text ?
		"ktrace: Out of memory." : strbuf_str(&line));
	funlockfile(stderr);
}

void log_hint(const char *hint)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT, wrapped = STRBUF_INIT;
	_cleanup_(strbuf) struct strbuf line = STRBUF_INIT;

	strbuf_addstr(&text, hint);
	if (text.len && text.data[text.len - 1] != '?')
		strbuf_addch(&text, '.');
	log_add_wrapped(&wrapped, strbuf_str(&text), 2);
	add_message(&line, strbuf_str(&wrapped));
	fprintf(stderr, "  %s\n", strbuf_str(&line));
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(COLOR_ERROR, "", fmt, ap);
	va_end(ap);
}

void log_warning(const char *fmt, ...)
{
	va_list ap;

	if (log_quiet)
		return;
	va_start(ap, fmt);
	log_line(COLOR_WARNING, " warning:", fmt, ap);
	va_end(ap);
}

void log_notice(const char *fmt, ...)
{
	va_list ap;

	if (log_quiet)
		return;
	va_start(ap, fmt);
	log_line(COLOR_NONE, "", fmt, ap);
	va_end(ap);
}

void log_debug(const char *fmt, ...)
{
	va_list ap;

	if (log_verbosity < 1)
		return;
	va_start(ap, fmt);
	log_line(COLOR_NONE, "", fmt, ap);
	va_end(ap);
}

void error_report(struct error *err)
{
	if (!err)
		return;
	log_error("%s.", err->message);
	if (err->hint)
		log_hint(err->hint);
	error_free(err);
}
