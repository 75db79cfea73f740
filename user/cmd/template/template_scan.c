// SPDX-License-Identifier: GPL-2.0
#include "cmd/template/template.h"

#include <ctype.h>
#include <errno.h>
#include <sys/stat.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/file.h"
#include "lib/strbuf.h"

/* Larger files are not sources of a module. */
#define SOURCE_BYTES (1024 * 1024)

static int compare_entries(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Call @see for the files of the folder until it returns an error or sets *@done. */
static struct error *scan_walk(const struct template *template,
			  struct error *(*see)(void *data, const char *path, const char *text,
					       bool *done),
			  void *data, const char *const *endings)
{
	char *roots[2] = { (char *)template->folder, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, compare_entries);
	struct error *err = NULL;
	bool done = false;
	FTSENT *entry;

	if (!tree)
		return error_errno(errno, "Cannot read %s", template->folder);
	while (!err && !done && (entry = fts_read(tree))) {
		_cleanup_free_ char *text = NULL;
		bool wanted = false;

		/* Skip our own output and hidden folders such as ".git". */
		if (entry->fts_info == FTS_D && entry->fts_level &&
		    (entry->fts_name[0] == '.' || !strcmp(entry->fts_path, template->output)))
			fts_set(tree, entry, FTS_SKIP);
		if (entry->fts_info != FTS_F || entry->fts_statp->st_size > SOURCE_BYTES)
			continue;
		for (size_t i = 0; endings[i]; i++)
			wanted |= text_ends_with(entry->fts_name, endings[i]);
		if (!wanted)
			continue;
		err = file_read_text(entry->fts_path, &text);
		/* Unreadable files are skipped. */
		if (err) {
			error_free(err);
			err = NULL;
			continue;
		}
		err = see(data, entry->fts_path, text, &done);
	}
	fts_close(tree);
	return err;
}

static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strndup(path, slash ? (size_t)(slash - path) : 0);
}

/* "mydrv_probes", or with a number if two headers have the same system. */
static char *object_name(const struct template *template, const char *system)
{
	char *name = NULL;

	for (size_t nr = 1; nr < 1000; nr++) {
		bool taken = false;

		free(name);
		if ((nr == 1 ? asprintf(&name, "%s_probes", system) :
		     asprintf(&name, "%s_%zu_probes", system, nr)) < 0)
			return NULL;
		for (size_t i = 0; i < template->headers.nr; i++)
			taken |= !strcmp(template->headers.items[i].object, name);
		if (!taken)
			return name;
	}
	return name;
}

/* Add a header if it declares events for CREATE_TRACE_POINTS. */
static struct error *see_header(void *data, const char *path, const char *text, bool *done)
{
	struct template *template = data;
	struct template_header header = { 0 };
	const char *system = NULL;
	struct error *err;

	(void)done;
	if (!strstr(text, "trace/define_trace.h"))
		return NULL;
	if (!path_is_plain(path))
		return error_hint(error_new(EINVAL, "%s has a character that is special to make",
					    path),
				  "Copy the sources to a folder whose name has letters, digits and _ "
				  "alone");
	err = trace_header_create(text, &header.parsed);
	if (err)
		return err;
	for (size_t i = 0; !system && i < header.parsed->events.nr; i++)
		if (!header.parsed->events.items[i].is_class)
			system = header.parsed->events.items[i].system;
	if (!system || !*system) {
		trace_header_destroy(header.parsed);
		return NULL;
	}
	header.path = strdup(path);
	header.before = strdup("");
	header.object = object_name(template, system);
	if (!header.path || !header.before || !header.object ||
	    !array_push(&template->headers, header)) {
		trace_header_destroy(header.parsed);
		free(header.path);
		free(header.before);
		free(header.object);
		return &error_no_memory;
	}
	return NULL;
}

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* Whether the directive at "#" is @name.  Returns the text behind it. */
static const char *behind_directive(const char *at, const char *name)
{
	size_t len = strlen(name);

	at = skip_blanks(at + 1);
	if (strncmp(at, name, len) || isalnum((unsigned char)at[len]))
		return NULL;
	return skip_blanks(at + len);
}

/*
 * The directives of a C file up to "#define CREATE_TRACE_POINTS", with further ones that close open
 * conditions. They are everything that the compiler had seen before the header, except for
 * declarations.  NULL: the file does not define that, or memory is out.
 */
static char *directives_before(const char *text, const char **behind)
{
	_cleanup_(strbuf) struct strbuf found = STRBUF_INIT;
	int depth = 0;

	for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		const char *line = skip_blanks(at), *define, *end = line;

		if (*line != '#')
			continue;
		define = behind_directive(line, "define");
		if (define && !strncmp(define, "CREATE_TRACE_POINTS", 19)) {
			while (depth-- > 0)
				strbuf_addstr(&found, "#endif\n");
			*behind = define;
			return found.failed ? NULL : strdup(strbuf_str(&found));
		}
		while (*end && *end != '\n')
			end += end[0] == '\\' && end[1] ? 2 : 1;
		if (behind_directive(line, "if") || behind_directive(line, "ifdef") ||
		    behind_directive(line, "ifndef"))
			depth++;
		else if (behind_directive(line, "endif"))
			depth--;
		else if (!define && !behind_directive(line, "include") &&
			 !behind_directive(line, "undef") && !behind_directive(line, "else") &&
			 !behind_directive(line, "elif"))
			continue;
		strbuf_add(&found, line, end - line);
		strbuf_addch(&found, '\n');
	}
	return NULL;
}

/* Whether one of the includes behind CREATE_TRACE_POINTS is the header. */
static bool includes_header(const char *at, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	size_t len = strlen(name);

	while ((at = strchr(at, '#'))) {
		const char *file = behind_directive(at, "include"), *end;

		at++;
		if (!file)
			continue;
		file++;
		end = file + strcspn(file, "\">\n");
		if ((size_t)(end - file) >= len && !memcmp(end - len, name, len) &&
		    ((size_t)(end - file) == len || end[-len - 1] == '/'))
			return true;
	}
	return false;
}

static struct error *see_source(void *data, const char *path, const char *text, bool *done)
{
	struct template *template = data;
	const char *behind = NULL;
	_cleanup_free_ char *before = directives_before(text, &behind);

	(void)done;
	for (size_t i = 0; before && i < template->headers.nr; i++) {
		struct template_header *header = &template->headers.items[i];

		if (header->source || !path_is_plain(path) ||
		    !includes_header(behind, header->path))
			continue;
		free(header->before);
		header->before = strdup(before);
		header->source = strdup(path);
		if (!header->before || !header->source ||
		    !path_list_add(&template->include, parent_of(path)))
			return &error_no_memory;
	}
	return NULL;
}

/* Replace variables for the makefile's own folder by its path; false: there are other variables. */
static bool add_expanded(struct strbuf *out, const char *word, size_t len, const char *folder)
{
	static const char *const names[] = {
		"$(srctree)/$(src)", "$(src)", "${src}", "$(obj)", "$(M)", "$(PWD)", "$(CURDIR)",
		"$(KBUILD_EXTMOD)",
	};

	for (size_t i = 0; i < len; ) {
		size_t j;

		for (j = 0; j < ARRAY_SIZE(names); j++)
			if (!strncmp(word + i, names[j], strlen(names[j])))
				break;
		if (j < ARRAY_SIZE(names)) {
			strbuf_addstr(out, folder);
			i += strlen(names[j]);
		} else if (word[i] == '$') {
			return false;
		} else {
			strbuf_addch(out, word[i++]);
		}
	}
	return !out->failed;
}

/* Add a word that names a folder, a macro, or an included file; false: out of memory. */
static bool take_word(struct template *template, const char *folder, const char *prefix,
		      const char *text, size_t len)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=.";
	_cleanup_(strbuf) struct strbuf word = STRBUF_INIT;
	bool is_macro = !strcmp(prefix, "-D"), is_folder = !strcmp(prefix, "-I");
	const char *value;
	char *taken;

	/* Words that only make could evaluate are ignored. */
	if (!len || !add_expanded(&word, text, len, folder))
		return !word.failed;
	value = strbuf_str(&word);
	if (is_macro ? value[strspn(value, plain)] : !path_is_plain(value))
		return true;
	if (is_macro ? asprintf(&taken, "-D%s", value) < 0 :
	    asprintf(&taken, "%s%s%s%s", is_folder ? "" : "-include ", *value == '/' ? "" : folder,
		     *value == '/' ? "" : "/", value) < 0)
		return false;
	return path_list_add(is_folder ? &template->include : &template->words, taken);
}

/* Whether the folder, or one in it, has a trace header or the source that declares its events. */
static bool is_around_header(const struct template *template, const char *folder)
{
	size_t len = strlen(folder);

	for (size_t i = 0; i < template->headers.nr; i++) {
		const struct template_header *header = &template->headers.items[i];

		if ((!strncmp(header->path, folder, len) && header->path[len] == '/') ||
		    (header->source && !strncmp(header->source, folder, len) &&
		     header->source[len] == '/'))
			return true;
	}
	return false;
}

/*
 * Read the options -I, -D and -include of a makefile, which is not run.  So macros that depend on a
 * condition are ignored.
 */
static struct error *see_makefile(void *data, const char *path, const char *text, bool *done)
{
	struct template *template = data;
	_cleanup_free_ char *folder = parent_of(path);
	bool begins_line = true, is_file = false, is_recipe = false, ok = true;
	int depth = 0;

	(void)done;
	if (!folder)
		return &error_no_memory;
	if (!is_around_header(template, folder))
		return NULL;
	while (ok && *text) {
		size_t len = strcspn(text, " \t\n\\");

		/* Make runs a line that begins with a tab, and the text behind a rule. */
		is_recipe = begins_line ? *text == '\t' || (is_recipe && !len) : is_recipe;
		if (begins_line && len > 3 && !strncmp(text, "if", 2))
			depth++;
		else if (begins_line && len == 5 && !strncmp(text, "endif", 5))
			depth--;
		/* At the beginning of a line, "include" is a directive of make. */
		if (is_recipe)
			is_file = false;
		else if (is_file)
			ok = take_word(template, folder, "-include", text, len);
		else if (len > 2 && !strncmp(text, "-I", 2))
			ok = take_word(template, folder, "-I", text + 2, len - 2);
		else if (len > 2 && !strncmp(text, "-D", 2) && !depth)
			ok = take_word(template, folder, "-D", text + 2, len - 2);
		if (len)
			is_file = !begins_line && len == 8 && !strncmp(text, "-include", 8);
		text += len;
		/* A line that follows a backslash is the same one. */
		if (text[0] == '\\' && text[1] == '\n')
			text += 2;
		else if (*text)
			begins_line = *text++ == '\n' || (begins_line && !len);
	}
	return ok ? NULL : &error_no_memory;
}

static bool is_below(const char *path, const char *folder, size_t len)
{
	return len && !strncmp(path, folder, len) && path[len] == '/';
}

/*
 * Read the same options from the command with which the kernel's build compiled the source, if it
 * did.  The conditions of the makefiles are evaluated there.  Options for the kernel's own folders
 * and for the source are ignored.
 */
static struct error *take_built_command(struct template *template,
					const struct template_header *header,
				  bool *ret_is_known)
{
	const char *name = header->source ? strrchr(header->source, '/') + 1 : NULL;
	_cleanup_free_ char *folder = NULL, *path = NULL, *text = NULL;
	bool is_file = false, ok = true;
	const char *kernel;
	size_t kernel_len = 0;

	if (!name)
		return NULL;
	folder = parent_of(header->source);
	if (!folder || asprintf(&path, "%s/.%.*s.o.cmd", folder, (int)strlen(name) - 2, name) < 0)
		return &error_no_memory;
	error_free(file_read_text(path, &text));
	if (!text)
		return NULL;
	*ret_is_known = true;
	text[strcspn(text, "\n")] = '\0';
	/* The kernel's sources; their path may differ from that of the build folder. */
	kernel = strstr(text, "/include/linux/kconfig.h");
	for (const char *at = kernel; at && at > text && at[-1] != ' '; at--)
		kernel_len++;
	kernel = kernel ? kernel - kernel_len : "";
	for (const char *at = text; ok && *at; ) {
		size_t len = strcspn(at, " ");

		if (is_file && *at == '/' && !is_below(at, kernel, kernel_len))
			ok = take_word(template, folder, "-include", at, len);
		else if (len > 3 && !strncmp(at, "-I/", 3) && !is_below(at + 2, kernel, kernel_len))
			ok = take_word(template, folder, "-I", at + 2, len - 2);
		else if (len > 2 && !strncmp(at, "-D", 2) && strncmp(at, "-DKBUILD_", 9) &&
			 strncmp(at, "-D__KBUILD_", 11) && strncmp(at, "-D__KERNEL__", 12) &&
			 strncmp(at, "-DMODULE", 8) && strncmp(at, "-DCC_", 5))
			ok = take_word(template, folder, "-D", at + 2, len - 2);
		is_file = len == 8 && !strncmp(at, "-include", 8);
		at += len;
		at += strspn(at, " ");
	}
	return ok ? NULL : &error_no_memory;
}

struct definition {
	const struct template *template;
	const char *name;
	char *found;		/* where it is defined */
};

static bool scan_is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static struct error *see_definition(void *data, const char *path, const char *text, bool *done)
{
	struct definition *definition = data;
	size_t len = strlen(definition->name), line = 1;

	for (const char *at = text; at; line++) {
		const char *end = at + strcspn(at, "\n"), *word = at;

		while ((word = strstr(word, definition->name)) && word < end) {
			const char *behind = word + len;
			bool defines;

			if (scan_is_name_char(*behind) ||
			    (word > at && scan_is_name_char(word[-1]))) {
				word++;
				continue;
			}
			behind = skip_blanks(behind);
			/* "enum x {", "#define x", "x = 1," and "static int x(...)" at its beginning */
			defines = *behind == '{' || (*at == '#' && strstr(at, "define") < word) ||
				((*behind == '=' || *behind == ',') && skip_blanks(at) == word) ||
				(*behind == '(' && !isspace((unsigned char)*at) && *at != '#' &&
				 (!memchr(at, ';', end - at) || memchr(at, '{', end - at)));
			if (!defines) {
				word++;
				continue;
			}
			*done = true;
			if (asprintf(&definition->found, "%s:%zu",
				     template_shown(definition->template, path), line) >= 0)
				return NULL;
			definition->found = NULL;
			return &error_no_memory;
		}
		at = *end ? end + 1 : NULL;
	}
	return NULL;
}

char *template_find_definition(const struct template *template, const char *name)
{
	static const char *const endings[] = { ".h", ".c", NULL };
	struct definition definition = { .template = template, .name = name };

	error_free(scan_walk(template, see_definition, &definition, endings));
	return definition.found;
}

struct searched {
	const char *ending;
	char *folder;
};

static struct error *see_ending(void *data, const char *path, const char *text, bool *done)
{
	struct searched *searched = data;
	size_t len = strlen(path), end = strlen(searched->ending);

	(void)text;
	if (len <= end || strcmp(path + len - end, searched->ending) ||
	    path[len - end - 1] != '/' || !path_is_plain(path))
		return NULL;
	searched->folder = strndup(path, len - end - 1);
	*done = true;
	return searched->folder ? NULL : &error_no_memory;
}

char *template_find_folder(const struct template *template, const char *ending)
{
	static const char *const endings[] = { ".h", ".c", NULL };
	struct searched searched = { .ending = ending };

	error_free(scan_walk(template, see_ending, &searched, endings));
	return searched.folder;
}

struct error *template_scan(struct template *template)
{
	static const char *const headers[] = { ".h", NULL }, *const sources[] = { ".c", NULL };
	static const char *const makefiles[] = { "Kbuild", "Makefile", NULL };
	struct error *err = scan_walk(template, see_header, template, headers);
	bool is_built = false;

	if (err)
		return err;
	if (!template->headers.nr)
		return error_hint(error_new(ENOENT, "No header below %s declares events",
					    template->folder),
				  "A trace header has TRACE_EVENT() or DEFINE_EVENT(), and includes "
				  "trace/define_trace.h at its end");
	err = scan_walk(template, see_source, template, sources);
	for (size_t i = 0; !err && i < template->headers.nr; i++)
		err = take_built_command(template, &template->headers.items[i], &is_built);
	if (!err && !is_built)
		err = scan_walk(template, see_makefile, template, makefiles);
	for (size_t i = 0; !err && i < template->headers.nr; i++)
		if (!path_list_add(&template->include, parent_of(template->headers.items[i].path)))
			err = &error_no_memory;
	return err;
}
