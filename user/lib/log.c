// SPDX-License-Identifier: GPL-2.0
#include "lib/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

/* @role: of the first words, which tell what kind of message it is. */
static void log_line(enum color_role role, const char *kind, const char *fmt, va_list ap)
{
	_cleanup_(strbuf) struct strbuf line = STRBUF_INIT;
	_cleanup_free_ char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	add_message(&line, color_message_on(role));
	strbuf_addf(&line, "ktrace:%s", kind);
	add_message(&line, color_message_off(role));
	strbuf_addch(&line, ' ');
	if (text)
		add_message(&line, text);
	/* Keep results and messages in order when both go to the same place. */
	fflush(stdout);
	if (log_before)
		log_before();
	flockfile(stderr);
	fprintf(stderr, "%s\n", line.failed || !text ? "ktrace: Out of memory." : strbuf_str(&line));
	funlockfile(stderr);
}

void log_hint(const char *hint)
{
	_cleanup_(strbuf) struct strbuf line = STRBUF_INIT;

	add_message(&line, hint);
	if (line.len && line.data[line.len - 1] != '?')
		strbuf_addch(&line, '.');
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
