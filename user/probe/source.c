// SPDX-License-Identifier: GPL-2.0
#include "probe/source.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"
#include "symbol/elf/dies.h"

void source_deinit(struct source *source)
{
	free(source->items);
	free(source->text);
	free(source->path);
	*source = (struct source){ 0 };
}

/* Find the file below @folder; NULL: it is not there. */
static char *source_below(const char *folder, const char *path)
{
	for (const char *end = path; end; end = strchr(end, '/')) {
		char *found;

		end += *end == '/';
		if (!strncmp(end, "./", 2))
			continue;
		if (asprintf(&found, "%s/%s", folder, end) < 0)
			return NULL;
		if (!access(found, R_OK))
			return found;
		free(found);
	}
	return NULL;
}

/* Return the path that @path is in the unit, owned by the caller; NULL: no memory. */
static char *source_whole_path(Dwarf_Die *unit, const char *path)
{
	const char *folder = dies_folder(unit);
	char *whole;

	if (*path == '/' || !folder)
		return strdup(path);
	return asprintf(&whole, "%s/%s", folder, path) < 0 ? NULL : whole;
}

struct error *source_read(struct source *source, const char *folder, Dwarf_Die *unit,
			  const char *path)
{
	_cleanup_free_ char *whole = source_whole_path(unit, path);
	struct error *err;
	size_t len;

	if (!whole)
		return &error_no_memory;
	source->path = folder ? source_below(folder, whole) : take_ptr(whole);
	if (!source->path)
		return error_new(ENOENT, "%s, which the code was compiled from, is not below %s",
				 whole, folder);
	if (access(source->path, R_OK))
		return error_hint(error_errno(errno, "Cannot read the source %s", source->path),
				  "-s FOLDER says where the sources are now");
	err = file_read_regular(source->path, &source->text, &len);
	if (err)
		return err;
	for (char *at = source->text, *end = at + len; at < end; ) {
		char *stop = memchr(at, '\n', end - at);

		if (!array_push(source, (const char *)at))
			return &error_no_memory;
		if (!stop)
			break;
		*stop = '\0';
		at = stop + 1;
	}
	return NULL;
}

bool source_matches(const struct source *source, unsigned int line, const char *pattern)
{
	const char *text;
	char packed[512], glob[512];
	size_t n = 0, g = 1;

	if (!line || line > source->nr)
		return false;
	for (text = source->items[line - 1]; *text && n < sizeof(packed) - 1; text++)
		if (!isspace((unsigned char)*text))
			packed[n++] = *text;
	packed[n] = '\0';
	glob[0] = '*';
	for (; *pattern && g < sizeof(glob) - 2; pattern++)
		if (!isspace((unsigned char)*pattern))
			glob[g++] = *pattern;
	glob[g++] = '*';
	glob[g] = '\0';
	return !fnmatch(glob, packed, 0);
}
