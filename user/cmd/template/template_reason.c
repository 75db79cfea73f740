// SPDX-License-Identifier: GPL-2.0
#include "cmd/template/template.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/file.h"
#include "lib/strbuf.h"

/* Errors that are about a name in quotes that is not known. */
static const char *const about_names[] = {
	"has incomplete type", "to incomplete type", "to an incomplete type", "undefined type",
	"incomplete typedef", "unknown type name", "undeclared", "implicit declaration of function",
	"isn't known", "incomplete definition of type", "is incomplete", "has no member named",
};

/* The text in the @nr-th pair of quotes, to be freed; NULL: there are fewer. */
static char *quoted(const char *message, size_t nr)
{
	for (;;) {
		const char *begin = strchr(message, '\'');
		const char *end = begin ? strchr(begin + 1, '\'') : NULL;

		if (!end)
			return NULL;
		if (!nr--)
			return strndup(begin + 1, end - begin - 1);
		message = end + 1;
	}
}

static bool has_tag(const char *type)
{
	return !strncmp(type, "enum ", 5) || !strncmp(type, "struct ", 7) ||
		!strncmp(type, "union ", 6);
}

static const char *without_qualifier(const char *type)
{
	while (!strncmp(type, "const ", 6) || !strncmp(type, "volatile ", 9))
		type = strchr(type, ' ') + 1;
	return type;
}

/* The first "enum name" or "struct name" that is not a pointer in the line; NULL: none. */
static char *tag_in_line(const char *path, size_t line)
{
	_cleanup_free_ char *text = NULL;
	const char *at, *end;

	error_free(file_read_text(path, &text));
	at = text;
	while (at && --line)
		at = (at = strchr(at, '\n')) ? at + 1 : NULL;
	for (end = at ? at + strcspn(at, "\n") : NULL; at && at < end; at++) {
		size_t len = has_tag(at) ? strcspn(at, " ") + 1 : 0, word = len;

		while (len && (isalnum((unsigned char)at[word]) || at[word] == '_'))
			word++;
		if (word > len && len && at[word + strspn(at + word, " ")] != '*')
			return strndup(at, word);
	}
	return NULL;
}

/* The type or name that an error is about; to be freed; NULL: it is about something else. */
static char *reason_name_of(const char *path, size_t line, const char *message)
{
	char *name = NULL;
	bool is_about = false;

	for (size_t i = 0; i < sizeof(about_names) / sizeof(about_names[0]); i++)
		is_about |= strstr(message, about_names[i]) != NULL;
	if (!is_about || strstr(message, "has no member named"))
		return NULL;
	for (size_t i = 0; i < 4; i++) {
		_cleanup_free_ char *found = quoted(message, i);
		const char *type = found ? without_qualifier(found) : NULL;

		if (type && has_tag(type)) {
			size_t len = strcspn(type, " ") + 1;

			len += strspn(type + len, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_");
			return strndup(type, len);
		}
	}
	/* "field 'state' has incomplete type", "parameter 2 ('state') has incomplete type" */
	if (strstr(message, "incomplete type") || strstr(message, "isn't known"))
		name = tag_in_line(path, line);
	return name ? name : quoted(message, 0);
}

static bool is_c_file(const char *place)
{
	const char *colon = strrchr(place, ':');

	return colon && colon - place > 2 && !strncmp(colon - 2, ".c", 2);
}

char *template_reason(const struct template *template, const char *path, size_t line,
		      const char *message)
{
	_cleanup_free_ char *name = reason_name_of(path, line, message), *place = NULL;
	const char *shown = template_shown(template, path), *space, *end;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s:%zu: ", shown, line);
	end = strstr(message, ": No such file or directory");
	if (end) {
		strbuf_addf(&text, "%.*s is included, but is not below %s. Name its folder with "
			    "-I, or build the module first if its build writes that file",
			    (int)(end - message), message, template->folder);
	} else if (name) {
		space = strrchr(name, ' ');
		place = template_find_definition(template, space ? space + 1 : name);
		if (place && strstr(message, "implicit declaration of function"))
			strbuf_addf(&text, "%s() is defined in %s, and not declared here. Make it "
				    "static inline in a header that %s includes, or pass its "
				    "result as an argument", name, place, shown);
		else if (place && is_c_file(place))
			strbuf_addf(&text, "%s is defined in %s, which other files cannot include. "
				    "Define it in a header that %s includes", name, place, shown);
		else if (place)
			strbuf_addf(&text, "%s is not known here. Include %.*s in %s", name,
				    (int)strcspn(place, ":"), place, shown);
		else
			strbuf_addf(&text, "%s is not defined below %s. Include the header that "
				    "has it, and name its folder with -I", name, template->folder);
	} else {
		/* Options of the compiler, "[-Werror=...]", do not help the user. */
		end = strstr(message, " [-W");
		strbuf_addf(&text, "the compiler says: %.*s",
			    end ? (int)(end - message) : (int)strlen(message), message);
	}
	return text.failed ? NULL : strdup(strbuf_str(&text));
}
