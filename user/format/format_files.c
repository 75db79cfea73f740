// SPDX-License-Identifier: GPL-2.0
#include "format/format_files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/file.h"
#include "lib/strbuf.h"

void format_files_deinit(struct format_files *files)
{
	for (size_t i = 0; i < files->nr; i++) {
		free(files->items[i].system);
		free(files->items[i].name);
		free(files->items[i].path);
		free(files->items[i].text);
	}
	free(files->items);
	*files = (struct format_files){ 0 };
}

/* The globs, and whether each has matched. */
struct selection {
	char *const *globs;
	bool *used;		/* NULL: not of interest */
};

static bool format_is_wanted(const struct selection *selection, const char *system,
			     const char *name)
{
	_cleanup_free_ char *full = NULL;
	/* The events of ftrace's own tracers are no tracepoints. */
	bool wanted = !selection->globs[0] && strcmp(system, "ftrace");

	if (asprintf(&full, "%s:%s", system, name) < 0)
		return false;
	for (size_t i = 0; selection->globs[i]; i++) {
		const char *glob = selection->globs[i];

		if (fnmatch(glob, strchr(glob, ':') ? full : system, 0))
			continue;
		if (selection->used)
			selection->used[i] = true;
		wanted = true;
	}
	return wanted;
}

bool format_files_named(char *const *globs, const char *system, const char *name)
{
	return format_is_wanted(&(struct selection){ globs, NULL }, system, name);
}

static struct error *format_file_add(const char *root, const char *system, const char *name,
				     struct format_files *files)
{
	struct format_file file = { 0 };
	struct error *err = &error_no_memory;

	file.system = strdup(system);
	file.name = strdup(name);
	if (asprintf(&file.path, "%s/%s/%s/format", root, system, name) < 0)
		file.path = NULL;
	if (file.system && file.name && file.path)
		err = file_read(file.path, &file.text, &file.len);
	if (!err && array_push(files, file))
		return NULL;
	free(file.system);
	free(file.name);
	free(file.path);
	free(file.text);
	return err ? err : &error_no_memory;
}

static int format_is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

struct names {
	struct dirent **items;
	int nr;
};

static void format_names_deinit(struct names *names)
{
	for (int i = 0; i < names->nr; i++)
		free(names->items[i]);
	free(names->items);
}
DEFINE_CLEANUP(names, struct names, format_names_deinit)

/* List @folder, sorted; if it is a file, the list is empty. */
static void names_read(const char *folder, struct names *ret)
{
	ret->nr = scandir(folder, &ret->items, format_is_shown, alphasort);
	if (ret->nr < 0)
		*ret = (struct names){ 0 };
}

static struct error *read_system(const char *root, const char *system,
				 const struct selection *selection, struct format_files *files)
{
	_cleanup_(names) struct names names = { 0 };
	_cleanup_free_ char *folder = NULL;
	struct error *err = NULL;

	if (asprintf(&folder, "%s/%s", root, system) < 0)
		return &error_no_memory;
	names_read(folder, &names);
	for (int i = 0; !err && i < names.nr; i++) {
		_cleanup_free_ char *path = NULL;

		if (asprintf(&path, "%s/%s/format", folder, names.items[i]->d_name) < 0)
			return &error_no_memory;
		if (!access(path, F_OK) &&
		    format_is_wanted(selection, system, names.items[i]->d_name))
			err = format_file_add(root, system, names.items[i]->d_name, files);
	}
	return err;
}

static struct error *format_files_read_all(const char *root, const struct selection *selection,
					   struct format_files *files)
{
	_cleanup_(names) struct names names = { 0 };
	struct error *err = NULL;

	names_read(root, &names);
	for (int i = 0; !err && i < names.nr; i++)
		err = read_system(root, names.items[i]->d_name, selection, files);
	return err;
}

/* Find the folder with SYSTEM/EVENT/format. */
static struct error *find_root(const char *folder, char **ret)
{
	struct error *err;

	if (!folder) {
		err = tracefs_path(&folder);
		if (err)
			return err;
	}
	if (asprintf(ret, "%s/events", folder) < 0) {
		*ret = NULL;
		return &error_no_memory;
	}
	if (!access(*ret, F_OK))
		return NULL;
	free(*ret);
	*ret = strdup(folder);
	return *ret ? NULL : &error_no_memory;
}

static struct error *nothing_named(const char *folder, const char *glob)
{
	const char *colon = strchr(glob, ':');
	_cleanup_free_ char *system = NULL;

	if (folder)
		return error_hint(error_new(ENOENT, "No event in %s matches '%s'", folder, glob),
				  "The folder should hold files SYSTEM/EVENT/format, as events/ "
				  "in tracefs does");
	if (colon && !strpbrk(glob, "*?[")) {
		system = strndup(glob, colon - glob);
		return system ? tracefs_unknown_event(system, colon + 1) : &error_no_memory;
	}
	return error_hint(error_new(ENOENT, "No event matches '%s'", glob),
			  "'ktrace list' lists all events; quote globs, as in ktrace check "
			  "'sched:*'");
}

struct error *format_files_read(const char *folder, char *const *globs, struct format_files *ret)
{
	_cleanup_(format_files) struct format_files files = { 0 };
	_cleanup_free_ char *root = NULL;
	_cleanup_free_ bool *used = NULL;
	struct error *err;
	size_t nr = 0;

	while (globs[nr])
		nr++;
	used = calloc(nr + 1, sizeof(*used));
	if (!used)
		return &error_no_memory;
	err = find_root(folder, &root);
	if (!err)
		err = format_files_read_all(root, &(struct selection){ globs, used }, &files);
	if (err)
		return err;
	for (size_t i = 0; i < nr; i++)
		if (!used[i])
			return nothing_named(folder, globs[i]);
	if (!files.nr)
		return error_hint(error_new(ENOENT, "There are no event formats in %s", root),
				  "The folder should hold files SYSTEM/EVENT/format, as events/ "
				  "in tracefs does");
	*ret = files;
	files = (struct format_files){ 0 };
	return NULL;
}
