// SPDX-License-Identifier: GPL-2.0
#include "format/format_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool skip(const char **p, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*p, word, len))
		return false;
	*p += len;
	return true;
}

static bool skip_number(const char **p, unsigned long long *ret)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	*ret = strtoull(*p, &end, 10);
	*p = end;
	return true;
}

/* Skip a type and a name, perhaps followed by an array: "char comm[16]". */
static bool skip_declaration(const char **p)
{
	const char *end = strpbrk(*p, ";\n"), *start = *p;
	int words = 0;

	if (!end || *end != ';')
		return false;
	for (; *p < end; ++*p) {
		unsigned char c = **p;

		if (!isalnum(c) && !strchr("_ *[]()-+<>.,:", c))
			return false;
		words += (isalnum(c) || c == '_') &&
			(*p == start || !(isalnum((unsigned char)(*p)[-1]) || (*p)[-1] == '_'));
	}
	++*p;
	/* A declaration has a type and a name, and the name does not begin with a digit. */
	return words >= 2 && (isalpha((unsigned char)*start) || *start == '_');
}

/* "\tfield:TYPE NAME;\toffset:8;\tsize:4;\tsigned:1;\n" */
static bool skip_field(const char **p)
{
	unsigned long long offset, size, number;

	if (!skip(p, "field:") || !skip_declaration(p) ||
	    !skip(p, "\toffset:") || !skip_number(p, &offset) ||
	    !skip(p, ";\tsize:") || !skip_number(p, &size) || !skip(p, ";"))
		return false;
	if (skip(p, "\tsigned:") && (!skip_number(p, &number) || !skip(p, ";")))
		return false;
	return offset < 65536 && size < 65536 && skip(p, "\n");
}

bool format_text_is_sound(const char *text, uint64_t *ret_id, const char **ret_print_fmt)
{
	unsigned long long id;
	const char *name_end;

	if (!skip(&text, "name: "))
		return false;
	name_end = text + strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789_.-");
	if (name_end == text || !skip(&name_end, "\nID: ") || !skip_number(&name_end, &id) ||
	    !skip(&name_end, "\nformat:\n"))
		return false;
	text = name_end;
	while (*text == '\t' || *text == '\n') {
		text++;
		if (*text == 'f' && text[-1] == '\t' && !skip_field(&text))
			return false;
	}
	if (!skip(&text, "print fmt: ") || id > INT32_MAX)
		return false;
	*ret_id = id;
	*ret_print_fmt = text;
	return true;
}
