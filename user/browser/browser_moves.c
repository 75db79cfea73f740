// SPDX-License-Identifier: GPL-2.0
#include "browser/browser_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/file.h"

/* The maximal number of files with one name. */
#define PRINTS_MAX	1000

static struct error *browser_move(struct browser *b, size_t to)
{
	browser_place(b)->cursor = to;
	browser_clamp(b);
	return NULL;
}

struct error *browser_up(struct browser *b)
{
	size_t at = browser_place(b)->cursor;

	return browser_move(b, at ? at - 1 : 0);
}

struct error *browser_down(struct browser *b)
{
	return browser_move(b, browser_place(b)->cursor + 1);
}

struct error *browser_page_up(struct browser *b)
{
	struct browser_place *place = browser_place(b);

	place->top = place->top > b->body ? place->top - b->body : 0;
	return browser_move(b, place->cursor > b->body ? place->cursor - b->body : 0);
}

struct error *browser_page_down(struct browser *b)
{
	return browser_move(b, browser_place(b)->cursor + b->body);
}

struct error *browser_first(struct browser *b)
{
	return browser_move(b, 0);
}

struct error *browser_last(struct browser *b)
{
	return browser_move(b, browser_lines(b) ? browser_lines(b) - 1 : 0);
}

struct error *browser_scroll_right(struct browser *b)
{
	struct browser_place *place = browser_place(b);

	if (place->left + b->width < b->widest)
		place->left += SIDE_STEP;
	return NULL;
}

struct error *browser_scroll_left(struct browser *b)
{
	struct browser_place *place = browser_place(b);

	place->left = place->left > SIDE_STEP ? place->left - SIDE_STEP : 0;
	return NULL;
}

struct error *browser_show_help(struct browser *b)
{
	strbuf_reset(&b->page);
	for (const struct browser_action *a = b->actions; a->run; a++)
		if (a->names)
			strbuf_addf(&b->page, "%-17s  %s\n", a->names, a->help);
	return browser_open_page(b, "Help");
}

struct error *browser_quit(struct browser *b)
{
	b->ended = true;
	return NULL;
}

/* Create a file that does not exist yet; *ret_path is the caller's. */
static struct error *browser_create_file(const char *name, bool numbered, char **ret_path,
					 int *ret)
{
	for (int i = 0; i < PRINTS_MAX; i++) {
		_cleanup_free_ char *path = NULL;

		if ((i || numbered ? asprintf(&path, "%s.%d", name, i) :
				     asprintf(&path, "%s", name)) < 0)
			return &error_no_memory;
		*ret = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (*ret >= 0) {
			*ret_path = take_ptr(path);
			return NULL;
		}
		if (errno != EEXIST)
			return error_errno(errno, "Cannot create %s", path);
	}
	return error_new(EEXIST, "There are %d files %s.N already", PRINTS_MAX, name);
}

struct error *browser_write_text(struct browser *b, const char *name, bool numbered,
				 const struct strbuf *text)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	struct error *err;
	int code;

	if (text->failed)
		return &error_no_memory;
	err = browser_create_file(name, numbered, &path, &fd);
	if (err)
		return err;
	code = fd_write_all(fd, strbuf_str(text), text->len);
	if (code) {
		unlink(path);
		return error_errno(-code, "Cannot write %s", path);
	}
	browser_tell(b, "Written to %s.", path);
	return NULL;
}
