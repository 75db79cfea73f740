// SPDX-License-Identifier: GPL-2.0
#include "symbol/module_paths.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/file.h"
#include "lib/strbuf.h"

void module_paths_read(struct module_paths *ret)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	struct utsname uts;

	uname(&uts);
	*ret = (struct module_paths){ .dep = NULL };
	snprintf(ret->folder, sizeof(ret->folder), "/lib/modules/%s", uts.release);
	strbuf_addf(&path, "%s/modules.dep", ret->folder);
	if (!path.failed)
		error_free(file_read(path.data, &ret->dep, NULL));
}

void module_paths_deinit(struct module_paths *paths)
{
	free(paths->dep);
}

/* Whether @base, the name of a file, is that of the module; "-" and "_" are equal. */
static bool module_paths_is_file_of(const char *base, const char *module)
{
	size_t len = strlen(module);

	for (size_t i = 0; i < len; i++)
		if (base[i] != module[i] && !(base[i] == '-' && module[i] == '_'))
			return false;
	return !strncmp(base + len, ".ko", 3);
}

char *module_paths_find(const struct module_paths *paths, const char *module)
{
	char *path;

	for (const char *line = paths->dep; line && *line; line = *line ? line + 1 : line) {
		size_t n = strcspn(line, ":\n");
		const char *base = memrchr(line, '/', n);

		if (module_paths_is_file_of(base ? base + 1 : line, module))
			return asprintf(&path, "%s/%.*s", paths->folder, (int)n, line) < 0 ? NULL :
			       path;
		line += strcspn(line, "\n");
	}
	return asprintf(&path, "[%s]", module) < 0 ? NULL : path;
}
