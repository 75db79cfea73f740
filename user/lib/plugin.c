// SPDX-License-Identifier: GPL-2.0
#include "lib/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/library.h"

/* The name of the folder of libraries, beside bin. */
#ifndef KTRACE_LIB
#define KTRACE_LIB "lib"
#endif

/*
 * If ktrace is PREFIX/bin/ktrace, its plugins are PREFIX/lib/ktrace/NAME.so, in the build
 * tree, too.  Where it is installed, lib can be lib64.
 */
static struct error *find_path(const char *name, char *path, size_t size)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (len < 0)
		return error_errno(errno, "Cannot read the path of ktrace from /proc/self/exe");
	self[len] = '\0';
	for (int i = 0; i < 2; i++) {
		slash = strrchr(self, '/');
		if (slash)
			*slash = '\0';
	}
	snprintf(path, size, "%s/" KTRACE_LIB "/ktrace/%s.so", self, name);
	if (access(path, F_OK))
		snprintf(path, size, "%s/lib/ktrace/%s.so", self, name);
	return NULL;
}

struct error *plugin_find(const char *name, const char *symbol, void **ret)
{
	char path[PATH_MAX + NAME_MAX];
	struct error *err;
	void *plugin;

	*ret = dlsym(RTLD_DEFAULT, symbol);
	if (*ret)
		return NULL;
	err = library_missing_for(name);
	if (!err)
		err = find_path(name, path, sizeof(path));
	if (err)
		return err;
	/* RTLD_GLOBAL is needed because the modules of Python look for its library there. */
	plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (plugin)
		*ret = dlsym(plugin, symbol);
	if (*ret)
		return NULL;
	return error_hint(error_new(ENOENT, "%s", dlerror()),
			  "'make install' puts bin/ktrace and lib/ktrace/%s.so side by side, "
			  "of one build; scripts/install-deps installs the libraries they need",
			  name);
}
