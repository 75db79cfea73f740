// SPDX-License-Identifier: GPL-2.0
#include "symbol/demangle.h"

#include <ctype.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/library.h"
#include "lib/strbuf.h"

#ifdef HAVE_IBERTY
#include <libiberty/demangle.h>
#endif

/* A file can hold names of any length, and demangling recurses. */
#define LONGEST_NAME	16384

/*
 * The limit of the result: a few hundred bytes can expand to gigabytes, since parts of a name
 * repeat others.
 */
#define LONGEST_TEXT	65536

bool demangle_nothing;

struct demangling {
	struct strbuf text;
	jmp_buf too_long;
};

#ifdef HAVE_IBERTY
static void take_demangled(const char *text, size_t len, void *arg)
{
	struct demangling *d = arg;

	/* The demangler cannot be stopped in another way, and all its data is on the stack. */
	if (d->text.len + len > LONGEST_TEXT)
		longjmp(d->too_long, 1);
	strbuf_add(&d->text, text, len);
}

/* Rust comes first: old Rust names would pass for C++. */
static bool run_demangler(struct demangling *d, const char *name)
{
	if (setjmp(d->too_long))
		return false;
	return rust_demangle_callback(name, DMGL_NO_OPTS, take_demangled, d) ||
	       (strbuf_reset(&d->text),
		cplus_demangle_v3_callback(name, DMGL_NO_OPTS, take_demangled, d));
}
#else
static bool run_demangler(struct demangling *d, const char *name)
{
	if (name[1] == 'Z' || name[1] == 'R')
		library_notice(LIBRARY_IBERTY);
	return false;
}
#endif

/* Decode two hexadecimal digits of one printable character; 0: they are none. */
static char hex_character(const char *digits)
{
	unsigned int value;

	if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]) ||
	    sscanf(digits, "%2x", &value) != 1)
		return 0;
	return value > ' ' && value < 0x7f ? value : 0;
}

/* "Stdlib.List.map_123" from "camlStdlib__List__map_123"; "$2b" encodes a character. */
static bool demangle_ocaml(const char *name, struct strbuf *text)
{
	if (strncmp(name, "caml", 4) || !isupper((unsigned char)name[4]))
		return false;
	for (name += 4; *name; name++) {
		char special = *name == '$' ? hex_character(name + 1) : 0;

		if (special)
			name += 2;
		if (name[0] == '_' && name[1] == '_') {
			special = '.';
			name++;
		}
		strbuf_addch(text, special ? special : *name);
	}
	return true;
}

/* "java.lang.Object" from "java/lang/Object;"; returns the rest, or NULL: it does not end. */
static const char *add_java_class(const char *name, struct strbuf *text)
{
	for (; *name && !strchr(";()[", *name); name++)
		strbuf_addch(text, *name == '/' ? '.' : *name);
	return *name == ';' ? name + 1 : NULL;
}

/* "byte[]" from "[B"; returns the rest, or NULL: it is no type. */
static const char *add_java_type(const char *name, struct strbuf *text)
{
	static const char *const types[] = {
		['B'] = "byte", ['C'] = "char", ['D'] = "double", ['F'] = "float", ['I'] = "int",
		['J'] = "long", ['S'] = "short", ['V'] = "void", ['Z'] = "boolean",
	};
	size_t dimensions = strspn(name, "[");

	name += dimensions;
	if (*name == 'L')
		name = add_java_class(name + 1, text);
	else if ((unsigned char)*name < ARRAY_SIZE(types) && types[(unsigned char)*name])
		strbuf_addstr(text, types[(unsigned char)*name++]);
	else
		return NULL;
	while (dimensions--)
		strbuf_addstr(text, "[]");
	return name;
}

/* "App.fib(int, byte[])" from "LApp;fib(I[B)J", as the agents of Java write it. */
static bool demangle_java(const char *name, struct strbuf *text)
{
	size_t len;

	if (*name != 'L' || !(name = add_java_class(name + 1, text)))
		return false;
	len = strcspn(name, "(");
	if (isalpha((unsigned char)*name))
		strbuf_addch(text, '.');
	strbuf_addf(text, "%.*s(", (int)len, name);
	if (name[len] != '(')
		return false;
	for (name += len + 1; name && *name != ')'; ) {
		if (text->data[text->len - 1] != '(')
			strbuf_addstr(text, ", ");
		name = add_java_type(name, text);
		if (text->failed || text->len > LONGEST_TEXT)
			return false;
	}
	strbuf_addch(text, ')');
	return name;
}

char *demangle(const char *name)
{
	struct demangling d = { .text = STRBUF_INIT };
	bool readable = false;

	if (demangle_nothing || strnlen(name, LONGEST_NAME) == LONGEST_NAME)
		return NULL;
	/* The names of C++ and Rust begin with '_': _Z, _R, __Z, _GLOBAL_ ... */
	switch (*name) {
	case '_':
		readable = run_demangler(&d, name);
		break;
	case 'c':
		readable = demangle_ocaml(name, &d.text);
		break;
	case 'L':
		readable = demangle_java(name, &d.text);
		break;
	}
	if (readable && !d.text.failed && d.text.data)
		return d.text.data;
	strbuf_deinit(&d.text);
	return NULL;
}

bool demangled_matches(const char *glob, const char *name)
{
	_cleanup_free_ char *text = strstr(glob, "::") ? demangle(name) : NULL;

	return text && !fnmatch(glob, text, 0);
}
