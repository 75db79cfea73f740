// SPDX-License-Identifier: GPL-2.0
#include "lib/escape.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/color.h"
#include "lib/file.h"

static void add_byte(struct strbuf *sb, unsigned char byte)
{
	switch (byte) {
	case '\n':
		strbuf_add(sb, "\\n", 2);
		break;
	case '\r':
		strbuf_add(sb, "\\r", 2);
		break;
	case '\t':
		strbuf_add(sb, "\\t", 2);
		break;
	default:
		strbuf_addf(sb, "\\x%02x", byte);
	}
}

/* Remove the bytes from @from on from @sb; the caller appends them again, escaped. */
static struct strbuf take_tail(struct strbuf *sb, size_t from)
{
	struct strbuf tail = STRBUF_INIT;

	strbuf_add(&tail, sb->data + from, sb->len - from);
	if (tail.failed)
		sb->failed = true;
	sb->len = from;
	return tail;
}

void escape_line_ends_found(struct strbuf *sb, size_t from)
{
	_cleanup_(strbuf) struct strbuf tail = take_tail(sb, from);

	for (size_t i = 0; i < tail.len; i++) {
		if (tail.data[i] == '\n')
			add_byte(sb, '\n');
		else
			strbuf_addch(sb, tail.data[i]);
	}
}

/*
 * Returns the size in bytes of the character at @text, 0 if it is incomplete, or -1 if it is not
 * UTF-8 or is a control character of Unicode.  Overlong forms and surrogates are not checked,
 * because no terminal takes them for control characters.
 */
static int character_size(const unsigned char *text, size_t len)
{
	int size = *text < 0x80 ? 1 : *text < 0xc2 ? -1 : *text < 0xe0 ? 2 :
		   *text < 0xf0 ? 3 : *text < 0xf5 ? 4 : -1;

	for (int i = 1; i < size; i++) {
		if ((size_t)i == len)
			return 0;
		if ((text[i] & 0xc0) != 0x80)
			return -1;
	}
	if (*text < 0x20 || *text == 0x7f || (*text == 0xc2 && text[1] < 0xa0))
		return -1;
	return size;
}

static size_t escape(struct strbuf *sb, const char *text, size_t len, const char *kept)
{
	size_t at = 0;

	while (at < len) {
		const unsigned char *p = (const unsigned char *)text + at;
		int size = *p && strchr(kept, *p) ? 1 : character_size(p, len - at);
		const char *color;

		if (*p == COLOR_MARK) {
			int mark = color_mark_read(text + at, len - at, &color);

			if (mark > 0) {
				strbuf_addstr(sb, color);
				at += mark;
				continue;
			}
			size = mark;
		}
		if (!size)
			break;
		if (size < 0)
			add_byte(sb, *p);
		else
			strbuf_add(sb, p, size);
		at += size < 0 ? 1 : size;
	}
	return at;
}

void escape_controls(struct strbuf *sb, size_t from)
{
	_cleanup_(strbuf) struct strbuf tail = STRBUF_INIT;

	if (sb->failed || sb->len <= from)
		return;
	tail = take_tail(sb, from);
	for (size_t at = escape(sb, tail.data, tail.len, ""); at < tail.len; at++)
		add_byte(sb, tail.data[at]);
}

size_t escape_terminal(struct strbuf *sb, const char *text, size_t len)
{
	return escape(sb, text, len, "\n\t");
}

/* ---- stdout -------------------------------------------------------------- */

/* The first bytes of a character or of a mark that the next write completes. */
static struct {
	char bytes[COLOR_MARK_SIZE];
	size_t len;
} begun;

static ssize_t write_escaped(void *cookie, const char *data, size_t size)
{
	_cleanup_(strbuf) struct strbuf in = STRBUF_INIT, out = STRBUF_INIT;
	size_t taken;
	int ret;

	strbuf_add(&in, begun.bytes, begun.len);
	strbuf_add(&in, data, size);
	taken = in.failed ? 0 : escape_terminal(&out, in.data, in.len);
	if (in.failed || out.failed) {
		errno = ENOMEM;
		return 0;
	}
	begun.len = in.len - taken;
	memcpy(begun.bytes, in.data + taken, begun.len);
	ret = fd_write_all(STDOUT_FILENO, strbuf_str(&out), out.len);
	if (ret < 0) {
		errno = -ret;
		return 0;
	}
	return size;
}

static int close_escaped(void *cookie)
{
	_cleanup_(strbuf) struct strbuf rest = STRBUF_INIT;

	for (size_t i = 0; i < begun.len; i++)
		add_byte(&rest, begun.bytes[i]);
	fd_write_all(STDOUT_FILENO, strbuf_str(&rest), rest.len);
	return close(STDOUT_FILENO);
}

void escape_stdout(void)
{
	cookie_io_functions_t functions = { .write = write_escaped, .close = close_escaped };
	static bool done;
	FILE *file;

	if (done || !(color_mode == COLOR_ALWAYS || isatty(STDOUT_FILENO)))
		return;
	file = fopencookie(NULL, "w", functions);
	if (!file)
		return;
	done = true;
	fflush(stdout);
	setvbuf(file, NULL, _IOLBF, BUFSIZ);
	stdout = file;
}
