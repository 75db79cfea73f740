// SPDX-License-Identifier: GPL-2.0
#include "lib/own_path.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of the tool's own files, as `make install` lays them out. */
#ifndef KTRACE_LIBEXEC
#define KTRACE_LIBEXEC "/usr/libexec/ktrace"
#endif

static bool own_path_has_scripts(const char *folder)
{
	char path[PATH_MAX];
	int len;

	len = snprintf(path, sizeof(path), "%s/scripts/python/Perf-Trace-Util", folder);
	return len < (int)sizeof(path) && access(path, X_OK) == 0;
}

/*
 * Find the source tree of a file in build/, or the libexec/ktrace in a folder around it, wherever
 * these were moved.  @path is the file; it becomes the folder, or "" if there is neither.
 */
static void own_path_find(char *path, size_t size)
{
	char *slash;

	while ((slash = strrchr(path, '/'))) {
		*slash = '\0';
		if (own_path_has_scripts(path))
			return;
		snprintf(slash, size - (slash - path), "/libexec/ktrace");
		if (own_path_has_scripts(path))
			return;
		*slash = '\0';
	}
	path[0] = '\0';
}

/* The file that contains this function.  dladdr() may know it only by a relative path. */
static void own_path_of_library(char *path, size_t size)
{
	char real[PATH_MAX] = "";
	Dl_info info;

	if (!dladdr((void *)own_path, &info) || !info.dli_fname || !realpath(info.dli_fname, real))
		real[0] = '\0';
	snprintf(path, size, "%s", real);
}

const char *own_path(void)
{
	static char path[PATH_MAX];
	ssize_t len;

	if (path[0])
		return path;
	len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	path[len < 0 ? 0 : len] = '\0';
	own_path_find(path, sizeof(path));
	if (!path[0]) {
		own_path_of_library(path, sizeof(path));
		own_path_find(path, sizeof(path));
	}
	if (!path[0])
		snprintf(path, sizeof(path), "%s", KTRACE_LIBEXEC);
	return path;
}
