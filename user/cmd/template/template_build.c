// SPDX-License-Identifier: GPL-2.0
#include "cmd/template/template.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"
#include "lib/spawn.h"
#include "lib/strbuf.h"

/* Number of builds, each without the parts that had errors. */
#define ROUNDS 12

/* "PATH:LINE:COLUMN: error: MESSAGE" */
struct told {
	char *path;
	size_t line;
	const char *message;
	bool is_error, is_note;
};

/* A compiler's error, while its notes are read. */
struct pending {
	struct template_header *header;
	char *path, *message;
	size_t line;
	const struct header_event *event;
	size_t event_line;
};

/* Run the kernel's build; *@ret_said is the offset of its messages in the log. */
static struct error *run_make(const struct template *template, int *ret_status, off_t *ret_said)
{
	_cleanup_close_ int log = open(template->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
				       0666);
	_cleanup_free_ char *folder = NULL;
	char *argv[] = { "env", "-u", "MAKEFLAGS", "-u", "KCFLAGS", "LC_ALL=C", "make", "-k", "-C",
			 (char *)template->kernel, NULL, "modules", NULL };
	struct spawn make = { .program = "env", .argv = argv, .out = log, .errors = log };
	struct error *err;
	pid_t pid;

	if (log < 0)
		return error_errno(errno, "Cannot write %s", template->log);
	if (asprintf(&folder, "M=%s", template->output) < 0)
		return &error_no_memory;
	argv[10] = folder;
	*ret_said = lseek(log, 0, SEEK_END);
	err = spawn(&make, &pid);
	if (!err)
		*ret_status = spawn_wait(pid);
	return err;
}

/* Parse a line of the compiler; false: it has another form. */
static bool take_told(char *line, struct told *told)
{
	char *colon = strchr(line, ':'), *end;

	if (!colon || colon == line || *line == ' ')
		return false;
	told->line = strtoul(colon + 1, &end, 10);
	if (*end != ':')
		return false;
	if (strtoul(end + 1, &end, 10) && *end != ':')
		return false;
	end++;
	end += strspn(end, " ");
	told->is_error = !strncmp(end, "error: ", 7) || !strncmp(end, "fatal error: ", 13);
	told->is_note = !strncmp(end, "note: ", 6);
	told->message = strchr(end, ' ');
	told->message = told->message ? strstr(end, "r: ") : NULL;
	told->message = told->message ? told->message + 3 : end;
	*colon = '\0';
	told->path = line;
	return true;
}

/* The header whose C file or object a line of the log names; NULL: none. */
static struct template_header *named_header(struct template *template, const char *line)
{
	for (size_t i = 0; i < template->headers.nr; i++) {
		struct template_header *header = &template->headers.items[i];
		size_t len = strlen(header->object);

		for (const char *at = strstr(line, header->object); at;
		     at = strstr(at + 1, header->object))
			if (at[len] == '.' && strchr("cok", at[len + 1]) &&
			    (at == line || strchr("/ ", at[-1])))
				return header;
	}
	return NULL;
}

static const struct header_event *event_at(const struct template_header *header, size_t line)
{
	for (size_t i = 0; i < header->parsed->events.nr; i++) {
		const struct header_event *event = &header->parsed->events.items[i];

		if (event->line <= line && line <= event->last_line)
			return event;
	}
	return NULL;
}

/* If a location is in an event of the header, the error concerns that event. */
static void look_for_event(struct pending *pending, const char *path, size_t line)
{
	if (pending->event || !pending->header || !file_is_same(path, pending->header->path))
		return;
	pending->event = event_at(pending->header, line);
	pending->event_line = line;
}

/* An included file that is not found may be elsewhere below the folder of the module. */
static bool add_missing_folder(struct template *template, const char *message)
{
	static const char ending[] = ": No such file or directory";
	const char *end = strstr(message, ending);
	_cleanup_free_ char *name = end ? strndup(message, end - message) : NULL;
	char *folder = name ? template_find_folder(template, name) : NULL;
	size_t before = template->include.nr;

	return folder && path_list_add(&template->include, folder) && template->include.nr > before;
}

/* Draw the consequence of an error; sets *@progress if the next build differs. */
static bool end_error(struct template *template, struct pending *pending, bool *progress)
{
	struct template_header *header = pending->header;
	bool is_known = pending->event &&
		template_why_not(header, pending->event->class_name);
	char *reason;

	if (!header || header->failed)
		return true;
	if (add_missing_folder(template, pending->message)) {
		*progress = true;
		return true;
	}
	/* The first error of a class gives the reason; others follow from it. */
	if (is_known && header->round_left_out)
		return true;
	reason = pending->event ?
		template_reason(template, header->path, pending->event_line, pending->message) :
		template_reason(template, pending->path, pending->line, pending->message);
	if (!reason)
		return false;
	*progress = true;
	if (pending->event && !is_known) {
		header->round_left_out = true;
		return template_leave_out(header, pending->event->class_name, reason);
	}
	/* Without its template the class has errors still: they are in its declaration. */
	header->failed = reason;
	return true;
}

static void pending_reset(struct pending *pending)
{
	free(pending->path);
	free(pending->message);
	*pending = (struct pending){ 0 };
}

/* ERROR: modpost: "name" [/folder/mydrv_probes.ko] undefined! */
static bool take_undefined(struct template *template, const char *line, bool *progress)
{
	const char *begin = strchr(line, '"'), *end = begin ? strchr(begin + 1, '"') : NULL;
	struct template_header *header = named_header(template, line);
	_cleanup_free_ char *name = NULL;
	bool found = false;

	if (!end || !header || header->failed || !strstr(end, "undefined"))
		return true;
	name = strndup(begin + 1, end - begin - 1);
	for (size_t i = 0; name && i < header->parsed->events.nr; i++) {
		const struct header_event *event = &header->parsed->events.items[i];
		const enum header_part_kind kinds[] = { PART_ENTRY, PART_ASSIGN };

		for (size_t k = 0; k < 2; k++) {
			const struct header_part *part = &event->parts[kinds[k]];
			_cleanup_free_ char *text = part->place ?
				trace_header_expand(header->parsed, part) : NULL;
			char *reason;

			if (!text || !strstr(text, name))
				continue;
			found = true;
			if (template_why_not(header, event->class_name))
				continue;
			if (asprintf(&reason, "%s:%zu: %s() is exported by no module. Export it "
				     "(EXPORT_SYMBOL_GPL), make it static inline, or pass its result "
				     "as an argument", template_shown(template, header->path),
				     event->line, name) < 0)
				return false;
			*progress = true;
			if (!template_leave_out(header, event->class_name, reason))
				return false;
		}
	}
	if (!name)
		return false;
	if (found && *progress)
		return true;
	*progress = true;
	return asprintf(&header->failed, "%s: an included header calls %s(), which no module "
			"exports. Export it (EXPORT_SYMBOL_GPL)",
			template_shown(template, header->path), name) >= 0;
}

/* Replace UTF-8 quotes, which the kernel's build uses in some locales, by "'". */
static void plain_quotes(char *text)
{
	char *to = text;

	for (const char *at = text; *at; to++) {
		bool is_quote = !strncmp(at, "\xe2\x80\x98", 3) || !strncmp(at, "\xe2\x80\x99", 3);

		*to = is_quote ? '\'' : *at;
		at += is_quote ? 3 : 1;
	}
	*to = '\0';
}

/* Read the messages of the build.  *@progress: another build may have fewer errors. */
static struct error *read_log(struct template *template, off_t said, bool *progress)
{
	_cleanup_free_ char *whole = NULL;
	struct template_header *current = NULL;
	struct pending pending = { 0 };
	struct error *err = file_read_text(template->log, &whole);
	char *rest, *log;
	bool ok = true;

	if (err)
		return err;
	log = whole + (strlen(whole) < (size_t)said ? strlen(whole) : (size_t)said);
	plain_quotes(log);
	for (size_t i = 0; i < template->headers.nr; i++)
		template->headers.items[i].round_left_out = false;
	for (char *line = strtok_r(log, "\n", &rest); ok && line; line = strtok_r(NULL, "\n", &rest)) {
		struct template_header *named = named_header(template, line);
		struct told told;

		if (strstr(line, "undefined!")) {
			ok = take_undefined(template, line, progress);
			continue;
		}
		if (named)
			current = named;
		if (!take_told(line, &told))
			continue;
		if (told.is_note && pending.message) {
			look_for_event(&pending, told.path, told.line);
			continue;
		}
		if (pending.message)
			ok = end_error(template, &pending, progress);
		pending_reset(&pending);
		if (!told.is_error || !current)
			continue;
		pending = (struct pending){ .header = current, .path = strdup(told.path),
					    .message = strdup(told.message), .line = told.line };
		ok &= pending.path && pending.message;
		if (ok)
			look_for_event(&pending, told.path, told.line);
	}
	if (ok && pending.message)
		ok = end_error(template, &pending, progress);
	pending_reset(&pending);
	return ok ? NULL : &error_no_memory;
}

/* The compiler reports no error for these. */
static struct error *leave_out_bit_fields(struct template *template)
{
	for (size_t i = 0; i < template->headers.nr; i++) {
		struct template_header *header = &template->headers.items[i];

		for (size_t j = 0; j < header->parsed->events.nr; j++) {
			const struct header_event *event = &header->parsed->events.items[j];
			const struct header_part *part = &event->parts[PART_ENTRY];
			const char *text = header->parsed->text;

			/* A conditional in a length has a '?' before its colon. */
			if (!part->place || memchr(text + part->place, '?', part->len))
				continue;
			for (size_t at = part->place; at < part->place + part->len; at++) {
				char *reason;

				if (text[at] != ':')
					continue;
				if (asprintf(&reason, "%s:%zu: a bit field has no offset of its "
					     "own in a record. Declare a field of u8 or a larger "
					     "type",
					     template_shown(template, header->path),
					     trace_header_line(header->parsed, at)) < 0 ||
				    !template_leave_out(header, event->class_name, reason))
					return &error_no_memory;
				break;
			}
		}
	}
	return NULL;
}

static bool any_left(const struct template *template)
{
	for (size_t i = 0; i < template->headers.nr; i++)
		if (!template->headers.items[i].failed)
			return true;
	return false;
}

struct error *template_build(struct template *template)
{
	struct error *err = leave_out_bit_fields(template);

	unlink(template->log);
	for (int round = 0; !err && round < ROUNDS && any_left(template); round++) {
		bool progress = false;
		int status = 0;
		off_t said = 0;

		err = template_write(template);
		if (!err)
			err = run_make(template, &status, &said);
		if (err || !status)
			return err;
		err = read_log(template, said, &progress);
		if (!err && !progress)
			return error_hint(error_new(0, "The kernel's build cannot compile the "
						    "templates"),
					  "%s has its messages", template->log);
	}
	if (!err && any_left(template))
		return error_hint(error_new(0, "The compiler finds errors in each of %d builds", ROUNDS),
				  "%s has its messages", template->log);
	return err;
}
