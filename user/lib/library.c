// SPDX-License-Identifier: GPL-2.0
#include "lib/library.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lib/log.h"

static const struct library libraries[] = {
#define LIBRARY(id, name, found_by, define, without, plugins, sources, lacks, ...) \
	{ name, define, plugins, lacks, PACKAGE_##id },
#include "lib/libraries.def"
#undef LIBRARY
};

const struct library *library_at(enum library_id id)
{
	return &libraries[id];
}

static struct error *library_absent(const struct library *library)
{
	return error_hint(error_new(ENOTSUP, "this ktrace was built without %s", library->name),
			  "Install %s and build it again", library->package);
}

struct error *library_missing(enum library_id id)
{
	return libraries[id].package ? library_absent(&libraries[id]) : NULL;
}

/* Whether @name is one of the words of a text that blanks separate. */
static bool library_has_word(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
		if ((at == text || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

struct error *library_missing_for(const char *plugin)
{
	for (int id = 0; id < LIBRARY_COUNT; id++)
		if (libraries[id].package && library_has_word(libraries[id].plugins, plugin))
			return library_absent(&libraries[id]);
	return NULL;
}

void library_notice(enum library_id id)
{
	static bool told[LIBRARY_COUNT];
	const struct library *library = &libraries[id];

	if (library->package && !told[id])
		log_notice("This ktrace was built without %s, so it lacks: %s. Install %s and build "
			   "it again.", library->name, library->lacks, library->package);
	told[id] = true;
}
