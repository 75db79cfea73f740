// SPDX-License-Identifier: GPL-2.0
#include "profile/own_code.h"

#include <linux/perf_event.h>
#include <string.h>

#include "lib/array.h"
#include "symbol/dso.h"

enum library_kind { LIBRARY_FOLDER, LIBRARY_NAME, LIBRARY_FUNCTION, LIBRARY_PART };

static const struct {
	enum library_kind kind;
	const char *text;
} library_code[] = {
#define LIBRARY(kind, text)	{ LIBRARY_##kind, text },
#include "profile/own_code.def"
#undef LIBRARY
};

/* A part is anywhere in the text, which begins with all others. */
static bool has_library_text(const char *text, enum library_kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(library_code); i++)
		if (library_code[i].kind == kind &&
		    (kind == LIBRARY_PART ? strstr(text, library_code[i].text) != NULL :
		     !strncmp(text, library_code[i].text, strlen(library_code[i].text))))
			return true;
	return false;
}

static bool is_library_binary(const struct dso *dso)
{
	if (dso->kind == DSO_PERF_MAP)
		return false;
	if (dso->kind != DSO_FILE ||
	    has_library_text(dso->short_name, LIBRARY_NAME))
		return true;
	return strstr(dso->short_name, ".so") && has_library_text(dso->name, LIBRARY_FOLDER);
}

static bool is_library_function(const char *name)
{
	const char *start = name;

	if (has_library_text(name, LIBRARY_PART))
		return true;
	/* Names of C++ templates and Java methods begin with the return type. */
	for (size_t i = 0, end = strcspn(name, "<("); i < end; i++)
		if (name[i] == ' ' && i + 1 < end)
			start = name + i + 1;
	return has_library_text(start, LIBRARY_FUNCTION) || !strcmp(name, "_start");
}

/* A stub of the dynamic linker counts as the function that it calls. */
bool own_code_has(const struct call_place *place)
{
	const char *name = place->symbol ? place->symbol->name : NULL;

	if (place->mode != PERF_RECORD_MISC_USER || !place->dso || is_library_binary(place->dso))
		return false;
	if (!name)
		return place->dso->kind != DSO_PERF_MAP;
	return !is_library_function(name) && !strstr(name, "@plt");
}

bool own_code_is_start(const struct call_place *place)
{
	static const char *const starts[] = {
		"_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
		"start_thread", "thread_start", "clone", "clone3", "__clone", "__clone3",
		"ThreadJavaMain", "thread_native_entry", "Thread::call_run",
	};

	for (size_t i = 0; place->symbol && i < ARRAY_SIZE(starts); i++)
		if (!strcmp(place->symbol->name, starts[i]))
			return true;
	return false;
}

bool own_code_is_jitted(const struct call_place *place)
{
	return place->dso && place->dso->kind == DSO_PERF_MAP && own_code_has(place);
}
