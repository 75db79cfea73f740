// SPDX-License-Identifier: GPL-2.0
#include "format/syscall_strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"

/* An argument, from its line in the format. */
struct string_arg {
	char name[64];
	unsigned int number;
};

struct string_args {
	struct string_arg items[SYSCALL_STRINGS_MAX];
	unsigned int nr;
	uint32_t mask;
	unsigned int end;		/* offset behind the last field */
	const char *last;		/* end of the last field's line, in the text */
};

/* The call writes to these, or their length is an argument, or they are no text. */
static bool string_arg_is_buffer(const char *call, const char *name)
{
	static const char *const buffers[] = {
		"buf", "ubuf", "optval", "list", "u_msg_ptr", "shmaddr", "vec",
	};

	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++)
		if (!strcmp(name, buffers[i]))
			return true;
	return !strcmp(call, "sys_enter_sethostname") || !strcmp(call, "sys_enter_setdomainname");
}

static void string_args_find(const char *call, const char *text, struct string_args *ret)
{
	unsigned int offset, size, number = 0;
	char type[64], name[64];
	const char *line = text;

	*ret = (struct string_args){ .last = NULL };
	while ((line = strstr(line, "\tfield:"))) {
		const char *semicolon = strchr(line, ';'), *end = strchr(line, '\n');
		const char *last = semicolon;

		if (!semicolon || !end || semicolon > end ||
		    sscanf(semicolon, ";\toffset:%u;\tsize:%u;", &offset, &size) != 2)
			return;
		line += strlen("\tfield:");
		while (last > line && last[-1] != ' ')
			last--;
		snprintf(type, sizeof(type), "%.*s", (int)(last - line), line);
		snprintf(name, sizeof(name), "%.*s", (int)(semicolon - last), last);
		if (offset + size > ret->end) {
			ret->end = offset + size;
			ret->last = end + 1;
		}
		line = end;
		if (!strncmp(name, "common_", 7) || !strcmp(name, "__syscall_nr") ||
		    !strcmp(name, "nr"))
			continue;
		if ((!strcmp(type, "const char * ") || !strcmp(type, "char * ")) &&
		    !string_arg_is_buffer(call, name) && ret->nr < SYSCALL_STRINGS_MAX) {
			struct string_arg *arg = &ret->items[ret->nr++];

			snprintf(arg->name, sizeof(arg->name), "%s", name);
			arg->number = number;
			ret->mask |= 1U << number;
		}
		number++;
	}
}

/* Copy the text up to the end of @what, then append @added; *text moves there. */
static void string_args_insert(struct strbuf *out, const char **text, const char *what,
			       const char *added)
{
	const char *at = strstr(*text, what);

	if (!at)
		return;
	at += strlen(what);
	strbuf_add(out, *text, at - *text);
	strbuf_addstr(out, added);
	*text = at;
}

/*
 * The kernel writes all print fmts of system calls alike: "NAME: 0x%08lx, ...", followed by
 * ((unsigned long)(REC->NAME)) for each argument.
 */
static void string_args_print(struct strbuf *out, const char *text, const struct string_args *args)
{
	char what[128], added[128];

	for (unsigned int i = 0; i < args->nr; i++) {
		snprintf(what, sizeof(what), "%s: 0x%%08lx", args->items[i].name);
		string_args_insert(out, &text, what, " \\\"%s\\\"");
	}
	for (unsigned int i = 0; i < args->nr; i++) {
		snprintf(what, sizeof(what), "(REC->%s))", args->items[i].name);
		snprintf(added, sizeof(added), ", __get_str(__%s_val)", args->items[i].name);
		string_args_insert(out, &text, what, added);
	}
	strbuf_addstr(out, text);
}

/* Whether the print fmt has the usual form, so that texts can be added. */
static bool string_args_print_usual(const char *print, const struct string_args *args)
{
	char what[128];

	for (unsigned int i = 0; i < args->nr; i++) {
		snprintf(what, sizeof(what), "%s: 0x%%08lx", args->items[i].name);
		if (!strstr(print, what))
			return false;
		snprintf(what, sizeof(what), "(REC->%s))", args->items[i].name);
		if (!strstr(print, what))
			return false;
	}
	return true;
}

bool syscall_strings_stored(const char *text)
{
	return strstr(text, "_val;\toffset:");
}

struct error *syscall_strings_add(const char *name, char **text, uint32_t *ret_args)
{
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;
	struct string_args args;
	const char *print;

	*ret_args = 0;
	if (strncmp(name, "sys_enter_", 10) || syscall_strings_stored(*text))
		return NULL;
	string_args_find(name, *text, &args);
	print = strstr(*text, "\nprint fmt:");
	if (!args.nr || !print || !args.last || args.last > print)
		return NULL;
	strbuf_add(&out, *text, args.last - *text);
	for (unsigned int i = 0; i < args.nr; i++)
		strbuf_addf(&out, "\tfield:__data_loc char[] __%s_val;\toffset:%u;\tsize:4;"
			    "\tsigned:0;\n", args.items[i].name, args.end + 4 * i);
	if (string_args_print_usual(print, &args)) {
		strbuf_add(&out, args.last, print - args.last);
		string_args_print(&out, print, &args);
	} else {
		strbuf_addstr(&out, args.last);
	}
	if (out.failed)
		return &error_no_memory;
	free(*text);
	*text = take_ptr(out.data);
	*ret_args = args.mask;
	return NULL;
}
