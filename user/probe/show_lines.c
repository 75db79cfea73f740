// SPDX-License-Identifier: GPL-2.0
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "probe/show.h"
#include "probe/source.h"
#include "spec/caret.h"
#include "symbol/elf/dies.h"
#include "terminal/options.h"

/* Number of shown lines of a file if no end is given. */
#define SHOW_MORE 10

struct line_request {
	char *function, *file;	/* one of them, or both */
	unsigned int first, last;	/* last 0: not given */
	bool counted;		/* last is a number of lines */
	bool whole;		/* of a file, all lines */
};

struct line_search {
	const struct line_request *request;
	Dwarf_Die *unit;
	const char *path;	/* of the source; NULL: not found yet */
	Dwarf_Die home;		/* the unit that has the path */
	int start, end;		/* lines of the file */
	int base;		/* its number is shown as 0 */
	Dwarf_Die function;	/* whose lines are shown; without a name: those of the file */
	ARRAY_OF(int) lines;	/* that have code */
	const char *near;
};

static void line_request_deinit(struct line_request *request)
{
	free(request->function);
	free(request->file);
}

DEFINE_CLEANUP(line_request, struct line_request, line_request_deinit)

static struct error *line_parse_range(const char *text, const char *at, struct line_request *r)
{
	char *end;

	r->first = strtoul(at, &end, 10);
	if (end == at)
		return caret_error(text, at - text, "The number of a line is expected behind ':'");
	if (*end == '-' || *end == '+') {
		r->counted = *end == '+';
		at = end + 1;
		r->last = strtoul(at, &end, 10);
		if (end == at)
			return caret_error(text, at - text, "A number is expected here");
		if (!r->counted && r->last < r->first)
			return caret_error(text, at - text, "The last line comes before the first one");
	}
	return *end ? caret_error(text, end - text, "Nothing can follow the lines") : NULL;
}

static struct error *line_parse(const char *text, struct line_request *r)
{
	const char *colon = strrchr(text, ':'), *at = strchr(text, '@');
	size_t len = colon ? (size_t)(colon - text) : strlen(text), name = len;
	bool is_file = colon && !at && memchr(text, '.', len);

	if (at && at < text + len)
		name = at - text;
	if (!len || !name)
		return caret_error(text, 0, "A function or a source file is expected");
	if (is_file)
		r->file = strndup(text, len);
	else
		r->function = strndup(text, name);
	if (at && !is_file)
		r->file = strndup(at + 1, len - name - 1);
	if ((is_file || at ? !r->file : false) || (!is_file && !r->function))
		return &error_no_memory;
	return colon ? line_parse_range(text, colon + 1, r) : NULL;
}

static void line_add(struct line_search *s, int line)
{
	for (size_t i = 0; i < s->lines.nr; i++)
		if (s->lines.items[i] == line)
			return;
	array_push(&s->lines, line);
}

static enum dies_step line_add_start(void *context, Dwarf_Die *die)
{
	struct line_search *s = context;
	const char *file;
	uint64_t entry;
	int line;

	file = dies_start(s->unit, die, &line);
	if (file && !strcmp(file, s->path) && line >= s->start && line <= s->end &&
	    dies_entry(die, &entry))
		line_add(s, line);
	return DIES_GO_ON;
}

/* Collect the lines of the unit that have code; it may be one of many that include the file. */
static void line_collect(struct line_search *s)
{
	Dwarf_Lines *lines;
	size_t nr;

	if (dwarf_getsrclines(s->unit, &lines, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		const char *src = dwarf_linesrc(line, NULL, NULL);
		bool begins, ends;
		int number;

		if (src && !strcmp(src, s->path) && !dwarf_lineno(line, &number) &&
		    number >= s->start && number <= s->end &&
		    !dwarf_linebeginstatement(line, &begins) && begins &&
		    !dwarf_lineendsequence(line, &ends) && !ends)
			line_add(s, number);
	}
	dies_walk(s->unit, line_add_start, s);
}

static int line_end(const struct line_request *r, int from)
{
	return !r->last ? INT32_MAX : r->counted ? from + (int)r->last : (int)r->last;
}

/* The last line of the function, by its code. */
static int line_of_end(Dwarf_Die *unit, Dwarf_Die *function, const char *path, int start)
{
	Dwarf_Lines *lines;
	int last = start, number;
	size_t nr;

	if (dwarf_getsrclines(unit, &lines, &nr))
		return start;
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		const char *src = dwarf_linesrc(line, NULL, NULL);
		Dwarf_Addr address;

		if (src && !strcmp(src, path) && !dwarf_lineno(line, &number) && number > last &&
		    !dwarf_lineaddr(line, &address) && dwarf_haspc(function, address) > 0)
			last = number;
	}
	return last;
}

struct line_instance {
	struct line_search *search;
	Dwarf_Die *origin;
	int last;
};

/* A function that is inlined everywhere ends where the last of its copies does. */
static enum dies_step line_measure_instance(void *context, Dwarf_Die *die)
{
	struct line_instance *instance = context;
	struct line_search *s = instance->search;
	int last;

	if (dies_is_instance(die, instance->origin)) {
		last = line_of_end(s->unit, die, s->path, s->base);
		if (last > instance->last)
			instance->last = last;
	}
	return DIES_GO_ON;
}

static bool line_match_function(void *context, Dwarf_Die *die)
{
	struct line_search *s = context;
	const struct line_request *r = s->request;
	const char *name = dwarf_diename(die), *path = dies_file(die);
	struct line_instance instance = { s, die, 0 };

	if (!dies_is_named(die, r->function)) {
		s->near = name ? word_nearer(r->function, s->near, name) : s->near;
		return true;
	}
	if (!path || (r->file && !dies_is_file(path, r->file)) || dwarf_decl_line(die, &s->base))
		return true;
	s->path = path;
	s->start = s->base + r->first;
	if (r->last) {
		s->end = r->counted ? s->start + (int)r->last - 1 : s->base + (int)r->last;
	} else {
		s->end = line_of_end(s->unit, die, path, s->base);
		dies_walk(s->unit, line_measure_instance, &instance);
		if (instance.last > s->end)
			s->end = instance.last;
	}
	return false;
}

/* Whether the path is the same file in the unit: a relative one begins where it was compiled. */
static bool line_has_path(struct line_search *s, Dwarf_Die *unit)
{
	const char *home = dies_folder(&s->home), *folder = dies_folder(unit);

	return s->path && (*s->path == '/' || (home && folder ? !strcmp(home, folder) :
								home == folder));
}

static bool line_search_unit(void *context, Dwarf_Die *unit)
{
	struct line_search *s = context;
	const struct line_request *r = s->request;
	bool found = s->path;
	Dwarf_Files *files;
	size_t nr;

	s->unit = unit;
	if (r->function && !s->path)
		dies_functions(unit, line_match_function, s);
	if (!r->function && !s->path && !dwarf_getsrcfiles(unit, &files, &nr))
		for (size_t i = 0; i < nr && !s->path; i++) {
			const char *file = dwarf_filesrc(files, i, NULL, NULL);

			if (!dies_is_file(file, r->file))
				continue;
			s->path = file;
			s->start = r->first ? r->first : 1;
			s->end = r->last || r->whole ? line_end(r, s->start - 1) :
						       s->start + SHOW_MORE - 1;
		}
	if (!found)
		s->home = *unit;
	if (line_has_path(s, unit))
		line_collect(s);
	return true;
}

static bool line_has_code(const struct line_search *s, int line)
{
	return array_any(&s->lines, it, *it == line);
}

static struct error *line_print(struct line_search *s, const char *folder,
				struct strbuf *out)
{
	_cleanup_(source) struct source source = { 0 };
	const struct line_request *r = s->request;
	struct error *err = source_read(&source, folder, &s->home, s->path);

	if (err)
		return err;
	if (s->start > (int)source.nr)
		return error_new(EINVAL, "%s has only %zu lines", s->path, source.nr);
	if (r->function)
		strbuf_addf(out, "<%s@%s:%u>\n", r->function, source.path, r->first);
	else
		strbuf_addf(out, "<%s:%d>\n", source.path, r->whole ? 0 : s->start);
	for (int line = s->start; line <= s->end && line <= (int)source.nr; line++) {
		if (line_has_code(s, line))
			strbuf_addf(out, "%7d  %s\n", line - s->base, source.items[line - 1]);
		else
			strbuf_addf(out, "         %s\n", source.items[line - 1]);
	}
	return out->failed ? &error_no_memory : NULL;
}

struct error *show_lines(const struct probe_binary *binary, const char *text,
			 const char *source_folder, struct strbuf *out)
{
	_cleanup_(line_request) struct line_request request = { 0 };
	struct line_search search = { .request = &request };
	struct error *err = line_parse(text, &request);

	if (err)
		return err;
	if (!binary->dwarf)
		return probe_binary_no_debug(binary);
	dies_units(binary->dwarf, line_search_unit, &search);
	/* A name with a point, without lines, is that of a file if no function has it. */
	if (!search.path && request.function && !request.file && strchr(request.function, '.') &&
	    !request.first && !request.last) {
		request.file = take_ptr(request.function);
		request.whole = true;
		dies_units(binary->dwarf, line_search_unit, &search);
	}
	if (search.path) {
		err = line_print(&search, source_folder, out);
	} else {
		err = caret_error(text, 0, "%s has no %s %s", probe_binary_title(binary),
				  request.function ? "function" : "source file",
				  request.function ? request.function : request.file);
		if (search.near)
			err = error_hint(err, "Did you mean %s?", search.near);
	}
	free(search.lines.items);
	return err;
}
