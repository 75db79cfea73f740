// SPDX-License-Identifier: GPL-2.0
#include "cmd/check/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmd/module_load.h"
#include "lib/log.h"

static bool is_loaded(const char *name)
{
	_cleanup_free_ char *path = NULL;

	return asprintf(&path, "/sys/module/%s", name) >= 0 && !access(path, F_OK);
}

struct error *check_module_open(const char *path, struct check_module *ret)
{
	struct check_module module = { 0 };
	struct error *err;

	err = module_file_read(path, &module.file);
	if (err)
		return err;
	if (!module.file.nr)
		err = error_hint(error_new(ENOENT, "%s has no tracepoints of its own", path),
				 "TRACE_EVENT() defines them, in a header that a file with "
				 "CREATE_TRACE_POINTS includes");
	if (!err && !is_loaded(module.file.name)) {
		err = module_load(path);
		module.loaded = !err;
	}
	if (err) {
		check_module_close(&module);
		return err;
	}
	*ret = module;
	return NULL;
}

void check_module_close(struct check_module *module)
{
	if (module->loaded && syscall(SYS_delete_module, module->file.name, O_NONBLOCK))
		log_warning("Module %s was loaded to be checked and cannot be removed: %m.",
			    module->file.name);
	module_file_deinit(&module->file);
	*module = (struct check_module){ 0 };
}
