// SPDX-License-Identifier: GPL-2.0
#include "cmd/template/template.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/strbuf.h"

/* The first line of our Kbuild.  A file without it is not overwritten. */
#define KBUILD_MARK "# Made by ktrace template, which overwrites it each time."

/* A file with the same text is not written again, so that make does not rebuild its objects. */
static struct error *write_changed(const struct template *template, const char *name,
				const struct strbuf *text)
{
	_cleanup_free_ char *path = NULL, *old = NULL;
	_cleanup_close_ int fd = -1;
	size_t len;
	int code;

	if (text->failed || asprintf(&path, "%s/%s", template->output, name) < 0)
		return &error_no_memory;
	error_free(file_read_regular(path, &old, &len));
	if (old && len == text->len && !memcmp(old, text->data, len))
		return NULL;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0)
		return error_errno(errno, "Cannot write %s", path);
	code = fd_write_all(fd, text->data, text->len);
	return code ? error_errno(-code, "Cannot write %s", path) : NULL;
}

struct error *template_prepare(const struct template *template)
{
	_cleanup_free_ char *path = NULL, *text = NULL;

	if (!mkdir(template->output, 0777))
		return NULL;
	if (errno != EEXIST)
		return error_errno(errno, "Cannot create %s", template->output);
	if (asprintf(&path, "%s/Kbuild", template->output) < 0)
		return &error_no_memory;
	error_free(file_read_text(path, &text));
	if (text && !strncmp(text, KBUILD_MARK, strlen(KBUILD_MARK)))
		return NULL;
	return error_hint(error_new(EEXIST, "%s exists, and 'ktrace template' did not make it",
				    template->output),
			  "Name another folder with --output");
}

/*
 * Declare the structures that the header names: one that nobody has declared would be another one
 * in each parameter list.
 */
static bool add_structures(const struct template_header *header, struct strbuf *text)
{
	struct path_list names = { 0 };
	bool ok = true;

	for (const char *at = strstr(header->parsed->text, "struct "); ok && at;
	     at = strstr(at, "struct ")) {
		size_t len;

		at += strlen("struct ");
		len = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
		if (len && (at[len] == ' ' || at[len] == '*' || at[len] == ')'))
			ok = path_list_add(&names, strndup(at, len));
	}
	for (size_t i = 0; i < names.nr; i++) {
		strbuf_addf(text, "struct %s;\n", names.items[i]);
		free(names.items[i]);
	}
	free(names.items);
	return ok;
}

static struct error *write_source(const struct template *template,
				  const struct template_header *header)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;

	strbuf_addf(&text, "// SPDX-License-Identifier: GPL-2.0\n"
		    "/* ktrace's templates for the events of %s, made by ktrace template. */\n",
		    template_shown(template, header->path));
	if (*header->before)
		strbuf_addf(&text, "/* The directives of %s before them: */\n%s",
			    template_shown(template, header->source), header->before);
	if (!add_structures(header, &text))
		return &error_no_memory;
	for (size_t i = 0; i < header->left_out.nr; i++)
		strbuf_addf(&text, "#define ktrace_left_out_%s 1\n",
			    header->left_out.items[i].class_name);
	strbuf_addf(&text, "#define KTRACE_TEMPLATES \"%s\"\n#include <ktrace/templates.h>\n",
		    header->path);
	strbuf_addf(&name, "%s.c", header->object);
	return write_changed(template, strbuf_str(&name), &text);
}

struct error *template_write(const struct template *template)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err = NULL;

	strbuf_addstr(&text, KBUILD_MARK "\n# SPDX-License-Identifier: GPL-2.0\n");
	for (size_t i = 0; !err && i < template->headers.nr; i++) {
		if (template->headers.items[i].failed)
			continue;
		strbuf_addf(&text, "obj-m += %s.o\n", template->headers.items[i].object);
		err = write_source(template, &template->headers.items[i]);
	}
	if (err)
		return err;
	strbuf_addstr(&text, "ccflags-y := -fno-diagnostics-show-caret -fdiagnostics-color=never");
	for (size_t i = 0; i < template->include.nr; i++)
		strbuf_addf(&text, " \\\n\t-I%s", template->include.items[i]);
	for (size_t i = 0; i < template->words.nr; i++)
		strbuf_addf(&text, " \\\n\t%s", template->words.items[i]);
	strbuf_addstr(&text, "\nKBUILD_EXTRA_SYMBOLS :=");
	for (size_t i = 0; i < template->symbols.nr; i++)
		strbuf_addf(&text, " %s", template->symbols.items[i]);
	strbuf_addstr(&text, "\n");
	return write_changed(template, "Kbuild", &text);
}
