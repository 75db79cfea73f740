// SPDX-License-Identifier: GPL-2.0
#include "profile/own_code.h"

#include <linux/perf_event.h>
#include <string.h>

#include "lib/array.h"
#include "symbol/dso.h"

static const char *const library_folders[] = {
#define LIBRARY_FOLDER(path)	path,
#define LIBRARY_NAME(begin)
#define LIBRARY_FUNCTION(begin)
#define LIBRARY_PART(text)
#include "profile/own_code.def"
#undef LIBRARY_FOLDER
#undef LIBRARY_NAME
#undef LIBRARY_FUNCTION
#undef LIBRARY_PART
};

static const char *const library_names[] = {
#define LIBRARY_FOLDER(path)
#define LIBRARY_NAME(begin)	begin,
#define LIBRARY_FUNCTION(begin)
#define LIBRARY_PART(text)
#include "profile/own_code.def"
#undef LIBRARY_FOLDER
#undef LIBRARY_NAME
#undef LIBRARY_FUNCTION
#undef LIBRARY_PART
};

static const char *const library_functions[] = {
#define LIBRARY_FOLDER(path)
#define LIBRARY_NAME(begin)
#define LIBRARY_FUNCTION(begin)	begin,
#define LIBRARY_PART(text)
#include "profile/own_code.def"
#undef LIBRARY_FOLDER
#undef LIBRARY_NAME
#undef LIBRARY_FUNCTION
#undef LIBRARY_PART
};

static const char *const library_parts[] = {
#define LIBRARY_FOLDER(path)
#define LIBRARY_NAME(begin)
#define LIBRARY_FUNCTION(begin)
#define LIBRARY_PART(text)	text,
#include "profile/own_code.def"
#undef LIBRARY_FOLDER
#undef LIBRARY_NAME
#undef LIBRARY_FUNCTION
#undef LIBRARY_PART
};

static bool begins_with_one(const char *text, const char *const *begins, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(text, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static bool is_library_binary(const struct dso *dso)
{
	if (dso->kind == DSO_PERF_MAP)
		return false;
	if (dso->kind != DSO_FILE ||
	    begins_with_one(dso->short_name, library_names, ARRAY_SIZE(library_names)))
		return true;
	return strstr(dso->short_name, ".so") &&
	       begins_with_one(dso->name, library_folders, ARRAY_SIZE(library_folders));
}

static bool is_library_function(const char *name)
{
	const char *start = name;

	for (size_t i = 0; i < ARRAY_SIZE(library_parts); i++)
		if (strstr(name, library_parts[i]))
			return true;
	/* Names of C++ templates and Java methods begin with the return type. */
	for (size_t i = 0, end = strcspn(name, "<("); i < end; i++)
		if (name[i] == ' ' && i + 1 < end)
			start = name + i + 1;
	return begins_with_one(start, library_functions, ARRAY_SIZE(library_functions)) ||
	       !strcmp(name, "_start");
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
