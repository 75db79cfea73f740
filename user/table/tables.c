// SPDX-License-Identifier: GPL-2.0
#include "table/tables.h"

#include <errno.h>
#include <string.h>

#include "terminal/options.h"

#define TABLE(name, command, help) extern const struct table_provider table_##name;
#include "table/tables.def"
#undef TABLE

const struct table_row tables_of_topics[] = {
#define TABLE(name, command, help) { #name, command, help, &table_##name },
#include "table/tables.def"
#undef TABLE
	{ 0 },
};

struct error *table_find(const char *name, const struct table_row **ret)
{
	const char *near = NULL;

	for (*ret = tables_of_topics; (*ret)->name; (*ret)++) {
		if (!strcmp(name, (*ret)->name))
			return NULL;
		near = word_nearer(name, near, (*ret)->name);
	}
	if (near)
		return error_hint(error_new(ENOENT, "There is no table '%s'", name),
				  "Did you mean '%s'? 'ktrace table' lists them", near);
	return error_hint(error_new(ENOENT, "There is no table '%s'", name),
			  "'ktrace table' lists them");
}
