// SPDX-License-Identifier: GPL-2.0
#include "symbol/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/file.h"

/* Bytes per read().  The kernel returns 4 KiB at a time for any size. */
#define BUFFER_BYTES	(256 * 1024)

struct line {
	uint64_t address;
	char type;
	const char *name, *module;	/* NULL: none */
	size_t name_len, module_len;
};

/* Functions and data are used, but not absolute or undefined symbols. */
static bool is_wanted_symbol(const struct line *line)
{
	switch (line->type | 0x20) {
	case 't':
	case 'w':
	case 'd':
	case 'b':
		return *line->name != '$';
	default:
		return false;
	}
}

static bool is_upper(char type)
{
	return !(type & 0x20);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parse "ADDRESS TYPE NAME\t[MODULE]" without the newline; false: the line has another form. */
static bool take_kallsyms_line(const char *p, const char *end, struct line *ret)
{
	const char *start = p, *tab;

	*ret = (struct line){ .address = 0 };
	for (; p < end && hex_digit(*p) >= 0; p++)
		ret->address = ret->address << 4 | hex_digit(*p);
	if (p == start || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	ret->type = p[1];
	ret->name = p + 3;
	tab = memchr(ret->name, '\t', end - ret->name);
	ret->name_len = (tab ? tab : end) - ret->name;
	if (tab && end - tab > 2 && tab[1] == '[') {
		const char *bracket = memchr(tab + 2, ']', end - tab - 2);

		ret->module = tab + 2;
		ret->module_len = (bracket ? bracket : end) - ret->module;
	}
	return ret->name_len;
}

/* The lines of a module follow one another, so its name is copied only once. */
static const char *module_copy(struct symbols *symbols, const struct line *line)
{
	const struct symbol *last = symbols->nr ? &symbols->items[symbols->nr - 1] : NULL;

	if (last && last->part && !strncmp(last->part, line->module, line->module_len) &&
	    !last->part[line->module_len])
		return last->part;
	return symbols_copy(symbols, line->module, line->module_len);
}

static struct error *add_kallsyms_line(struct symbols *symbols, const struct line *line)
{
	struct symbol symbol = {
		.start = line->address,
		.end = line->address,
		.name = symbols_copy(symbols, line->name, line->name_len),
		.part = line->module ? module_copy(symbols, line) : NULL,
		.binding = (line->type | 0x20) == 'w' ? SYMBOL_WEAK :
			   is_upper(line->type) ? SYMBOL_GLOBAL : SYMBOL_LOCAL,
		.is_data = (line->type | 0x20) != 't' && (line->type | 0x20) != 'w',
	};

	if (!symbol.name || (line->module && !symbol.part))
		return &error_no_memory;
	return symbols_add(symbols, &symbol);
}

/* The state of reading, with the search for a symbol. */
struct reading {
	struct symbols *symbols;
	const char *landmark;
	size_t landmark_len;
	uint64_t found;		/* address of the landmark; 0: not seen yet */
};

static struct error *add_lines(struct reading *r, const char *p, const char *end)
{
	struct error *err = NULL;

	while (p < end && !err) {
		const char *newline = memchr(p, '\n', end - p);
		const char *line_end = newline ? newline : end;
		struct line line;

		if (take_kallsyms_line(p, line_end, &line)) {
			if (!r->found && line.name_len == r->landmark_len &&
			    !memcmp(line.name, r->landmark, line.name_len) &&
			    strchr("TWAtwa", line.type))
				r->found = line.address;
			if (is_wanted_symbol(&line))
				err = add_kallsyms_line(r->symbols, &line);
		}
		p = line_end + 1;
	}
	return err;
}

static struct error *read_lines(struct reading *r, const char *path, int fd)
{
	_cleanup_free_ char *buffer = malloc(BUFFER_BYTES);
	struct error *err = NULL;
	size_t held = 0;
	ssize_t got = 1;

	if (!buffer)
		return &error_no_memory;
	while (got > 0 && !err) {
		const char *last;

		got = fd_read_all(fd, buffer + held, BUFFER_BYTES - held);
		if (got < 0)
			return error_errno(-got, "Cannot read %s", path);
		held += got > 0 ? got : 0;
		/*
		 * Take whole lines only, unless a line does not fit, or the last one has no
		 * newline.
		 */
		last = memrchr(buffer, '\n', held);
		if (!last || got <= 0)
			last = buffer + held - 1;
		err = add_lines(r, buffer, last + 1);
		held -= last + 1 - buffer;
		memmove(buffer, last + 1, held);
	}
	return err;
}

struct error *kallsyms_read(const char *path, struct symbols *symbols, const char *landmark,
			    uint64_t *ret_landmark)
{
	struct reading r = { .symbols = symbols, .landmark = landmark ? landmark : "" };
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct error *err;

	r.landmark_len = strlen(r.landmark);
	if (fd < 0)
		return error_errno(errno, "Cannot open %s", path);
	err = read_lines(&r, path, fd);
	if (landmark)
		*ret_landmark = r.found;
	if (!err)
		err = symbols_settle(symbols, true);
	if (err)
		return err;
	if (!symbols->nr || !symbols->items[symbols->nr - 1].start)
		return error_hint(error_new(EPERM, "%s shows no addresses", path),
				  "Run ktrace as root, or run as root: sysctl "
				  "kernel.kptr_restrict=0");
	return NULL;
}
